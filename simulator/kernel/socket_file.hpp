#pragma once
// A descriptor of a socket.

#include "kernel/open_file.hpp"
#include "kernel/waitables.hpp"

namespace croftsim {

class SocketFile final : public OpenFile {
public:
    SocketFile(Waitables& waitables, std::uint32_t flags, std::uint64_t socket)
        : OpenFile(abi::o_read_write | (flags & abi::o_nonblock)), waitables_(waitables), socket_(socket) {}
    ~SocketFile() override {
        if (sockets().contains(socket_)) sockets().close(socket_);
    }

    std::size_t read(std::span<std::uint8_t> to) override { return sockets().receive(socket_, to, false).count; }
    std::size_t write(std::span<const std::uint8_t> from) override { return sockets().send(socket_, from, {}); }
    struct stat status() const override { return invented_status(S_IFSOCK | 0777, invented_numbers + socket_); }
    std::uint32_t ready() override { return sockets().ready(socket_); }
    bool can_be_polled() const override { return true; }
    std::optional<Waits> waits() const override { return Waits::socket; }
    bool takes_messages() const override { return !socket().is_stream(); }
    std::uint64_t read_limit() const override { return limit_of(receive_limit); }
    std::uint64_t write_limit() const override { return limit_of(send_limit); }
    std::uint64_t changes(std::uint32_t wanted) override {
        return socket().changes + (wanted & (abi::poll_writes | abi::poll_write_band) ? socket().room_changes : 0);
    }
    std::uint64_t readable_bytes() override;
    std::uint64_t read_key() const override { return socket_; }
    std::uint64_t write_key() const override { return sockets().receiver_of(socket_); }
    Kind kind() const override { return Kind::socket; }
    void serialise(Archive& archive) override {
        archive(socket_);
        if (!sockets().contains(socket_)) Archive::damaged();
    }

    Sockets& sockets() const { return waitables_.sockets; }
    Socket& socket() const { return sockets()[socket_]; }
    std::uint64_t of_all() const { return socket_; }

    // Keys of Socket::options: the level above, the option's number below. The limits are in ns.
    static constexpr std::uint64_t key_of(std::uint64_t level, std::uint64_t option) { return level << 32 | option; }
    static constexpr std::uint64_t receive_limit = std::uint64_t{1} << 32 | 20,
                                   send_limit = std::uint64_t{1} << 32 | 21;

private:
    std::uint64_t limit_of(std::uint64_t option) const {
        const auto it = socket().options.find(option);
        return it == socket().options.end() || it->second == 0 ? Clock::never : it->second;
    }

    Waitables& waitables_;
    std::uint64_t socket_;
};
static_assert(is_listed<SocketFile, 72>);

// The socket that a descriptor stands for; throws Errno{ENOTSOCK}.
SocketFile& socket_of(const Files& files, std::uint64_t descriptor);

}  // namespace croftsim
