// System calls that send and receive by sockets.

#include <algorithm>

#include "kernel/socket_calls.hpp"
#include "kernel/stream_calls.hpp"

namespace croftsim {
namespace {

enum Flag : std::uint32_t {  // MSG_*
    out_of_band = 0x1,
    peek = 0x2,
    truncated = 0x20,
    at_once = 0x40,
    whole = 0x100,
    of_errors = 0x2000,
    without_signal = 0x4000,
    wait_for_one = 0x10000,
};

struct Message {  // struct msghdr
    std::uint64_t name;
    std::uint32_t name_bytes, pad;
    std::uint64_t vectors, vector_count, control, control_bytes;
    std::uint32_t flags, pad2;
};
static_assert(sizeof(Message) == 56);
constexpr std::uint64_t many_bytes = 64;  // of struct mmsghdr: a message, and the bytes that it was

// Descriptors do not travel: no other process could receive them.
void check_control(const System& system, const Message& message) {
    struct Control {
        std::uint64_t bytes;
        std::int32_t level, type;
    };
    constexpr std::int32_t socket_level = 1, rights = 1;
    constexpr std::uint64_t most = 20480;
    if (message.control_bytes > most) throw Errno{ENOBUFS};
    for (std::uint64_t at = 0; at + sizeof(Control) <= message.control_bytes;) {
        const auto control = system.user.get<Control>(message.control + at);
        if (control.bytes < sizeof control || control.bytes > message.control_bytes - at) throw Errno{EINVAL};
        if (control.level == socket_level && control.type == rights) throw Errno{EPERM};
        at += (control.bytes + 7) / 8 * 8;
    }
}

Result send(System& system, const Call& call, SocketFile& file, std::span<const abi::IoVector> vectors,
            std::uint32_t flags, const std::optional<SocketAddress>& to) {
    if (flags & out_of_band) return -EOPNOTSUPP;
    return write_all(system, call, file, vectors,
                     {.write = [&](auto bytes) { return file.sockets().send(file.of_all(), bytes, to); },
                      .waits = !(flags & at_once),
                      .signals = !(flags & without_signal) && file.socket().is_stream()});
}

Result send_message(System& system, const Call& call, std::uint64_t address, std::uint32_t flags) {
    SocketFile& file = socket_of(system.files, call.a[0]);
    const auto message = system.user.get<Message>(address);
    check_control(system, message);
    std::optional<SocketAddress> to;
    if (message.name && message.name_bytes) to = address_at(system, message.name, message.name_bytes);
    return send(system, call, file, vectors_of(system, message.vectors, message.vector_count), flags, to);
}

// `from` gets where it came from, and `has_more` whether the rest of a message is lost.
Result receive(System& system, const Call& call, SocketFile& file, std::span<const abi::IoVector> vectors,
               std::uint32_t flags, SocketAddress& from, bool& has_more) {
    if (flags & out_of_band) return -EINVAL;
    if (flags & of_errors) return -EAGAIN;
    const bool waits = !(flags & at_once) && !(file.flags & abi::o_nonblock);
    const bool all = flags & whole && !(flags & peek) && file.socket().is_stream();
    const std::uint64_t total = total_of(vectors);
    std::uint64_t done = call.waiter && all ? call.waiter->done : 0;
    try {
        do {
            const std::vector<abi::IoVector> rest = rest_of(vectors, done);
            std::vector<std::uint8_t> bytes(room_of(system, rest));
            const Sockets::Received got = file.sockets().receive(file.of_all(), bytes, flags & peek);
            system.learn_from(call, file.read_key());
            scatter(system, rest, std::span(bytes).first(got.count));
            done += got.count;
            from = got.from;
            has_more = got.whole > got.count;
            if (got.count == 0) break;
            if (!all && flags & truncated && has_more) return static_cast<std::int64_t>(got.whole);
        } while (all && done < total);
        return static_cast<std::int64_t>(done);
    } catch (const Errno& error) {
        if (error.code != EAGAIN || !waits) {
            if (done == 0) throw;
            return static_cast<std::int64_t>(done);
        }
    }
    const std::int64_t late = done ? static_cast<std::int64_t>(done) : -EAGAIN;
    return system.wait(call, Waits::socket, system.deadline_of(call, file.read_limit()), late, done);
}

Result receive_message(System& system, const Call& call, std::uint64_t address, std::uint32_t flags) {
    SocketFile& file = socket_of(system.files, call.a[0]);
    auto message = system.user.get<Message>(address);
    system.user.check(address, sizeof message, Permission::write);
    SocketAddress from;
    bool has_more = false;
    const Result result =
        receive(system, call, file, vectors_of(system, message.vectors, message.vector_count), flags, from, has_more);
    if (!result || *result < 0) return result;
    if (message.name) {
        const std::string bytes = from.is_set() ? from.bytes() : "";
        system.user.write(message.name, {reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                         std::min<std::size_t>(bytes.size(), message.name_bytes)});
        message.name_bytes = static_cast<std::uint32_t>(bytes.size());
    }
    message.control_bytes = 0;
    message.flags = has_more ? std::uint32_t{truncated} : 0;
    system.user.put(address, message);
    return result;
}

// Several messages. Only the first one waits, and with the others the call ends as soon as it would have to.
Result for_many(System& system, const Call& call, Result (*one)(System&, const Call&, std::uint64_t, std::uint32_t),
                std::uint32_t flags) {
    const std::uint64_t count = std::min<std::uint64_t>(static_cast<std::uint32_t>(call.a[2]), 1024);
    std::int64_t done = 0;
    for (; static_cast<std::uint64_t>(done) < count; ++done) {
        const std::uint64_t at = call.a[1] + static_cast<std::uint64_t>(done) * many_bytes;
        try {
            const Result result = one(system, call, at, done ? flags | at_once : flags);
            if (!result) return blocked;
            if (*result < 0) return done ? done : result;
            system.user.put(at + sizeof(Message), static_cast<std::uint32_t>(*result));
        } catch (const Errno&) {
            if (done == 0) throw;
            break;
        }
    }
    return done;
}

}  // namespace

namespace calls {

Result sendto(System& system, const Call& call) {
    SocketFile& file = socket_of(system.files, call.a[0]);
    std::optional<SocketAddress> to;
    if (call.a[4]) to = address_at(system, call.a[4], call.a[5]);
    return send(system, call, file, {{{call.a[1], call.a[2]}}}, static_cast<std::uint32_t>(call.a[3]), to);
}

Result sendmsg(System& system, const Call& call) {
    return send_message(system, call, call.a[1], static_cast<std::uint32_t>(call.a[2]));
}

Result recvfrom(System& system, const Call& call) {
    SocketFile& file = socket_of(system.files, call.a[0]);
    SocketAddress from;
    bool has_more = false;
    const Result result =
        receive(system, call, file, {{{call.a[1], call.a[2]}}}, static_cast<std::uint32_t>(call.a[3]), from, has_more);
    if (!result || *result < 0 || !call.a[4]) return result;
    if (from.is_set())
        tell_address(system, from, call.a[4], call.a[5]);
    else
        system.user.put(call.a[5], std::uint32_t{0});
    return result;
}

Result recvmsg(System& system, const Call& call) {
    return receive_message(system, call, call.a[1], static_cast<std::uint32_t>(call.a[2]));
}

Result sendmmsg(System& system, const Call& call) {
    return for_many(system, call, send_message, static_cast<std::uint32_t>(call.a[3]));
}

Result recvmmsg(System& system, const Call& call) {
    return for_many(system, call, receive_message,
                    static_cast<std::uint32_t>(call.a[3]) & ~std::uint32_t{wait_for_one});
}

}  // namespace calls
}  // namespace croftsim
