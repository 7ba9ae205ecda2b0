#pragma once
// A program's end of the link to a host that offloads work to it (paper 003, IV.C). The program runs on a simulated
// co-processor; the host is a native program (croft::coprocessor, or croft.Accelerator in Python).
//
//     croft::host_link<matrix, matrix> host;
//     const auto work = [&](croft::offloaded<matrix> a) { auto c = host.make(); multiply(*a, b, *c); return c; };
//     croft::run([&] { return host.receive(); }, croft::farm(work, {.workers = 54}),
//                [&](croft::returned<matrix> c) { host.send(std::move(c)); });
//     host.close();
//
// So "the offloading operation directly connects the host side offload with the Emitter of a farm, and delivering a
// result connects the Collector with get_result". serve.hpp does this for any pattern, in one call.
//
// Any thread may call any of it. Every call is a system call. In a farm that keeps order, a worker may wait for an
// output slot while all others wait for its result, each in a slot. There let the collector make(), or have more output
// slots than results can be under way.
//
// There is one link a program. Natively there is none: the constructor throws std::runtime_error.

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <optional>
#include <span>
#include <stdexcept>
#include <system_error>
#include <type_traits>
#include <utility>

#include <croft/memory/data_home.hpp>
#include <croft/memory/homed_lines.hpp>
#include <croft/memory/link_slot.hpp>

namespace croft {

struct host_link_options {
    std::size_t input_slots = 0;  // 0: as the host would have it
    std::size_t output_slots = 0;
    homes::of_data homes =
        homes::of_data::hashed;  // of the slots: hashed, or none, for patterns that hand messages over
};

template <class In, class Out>
class host_link {
    template <class T>
    static constexpr std::size_t least =
        std::is_same_v<T, std::span<const std::byte>> || std::is_same_v<T, std::span<std::byte>> ? 0 : sizeof(T);

public:
    // Throws std::runtime_error natively; std::invalid_argument for items that no slot holds; std::system_error if the
    // kernel refuses so many slots, or a second link.
    explicit host_link(host_link_options options = {}) {
        if (!port::is_many_core)
            throw std::runtime_error(
                "croft::host_link: there is no link to a host here; it is for simulated co-processors");
        const port::link_sizes sizes = port::link_slots();
        slot_bytes_ = sizes.slot_bytes;
        if (least<In> > slot_bytes_ || least<Out> > slot_bytes_)
            throw std::invalid_argument("croft::host_link: an item is larger than a slot of the link");
        const std::size_t inputs = options.input_slots ? options.input_slots : sizes.input_slots;
        const std::size_t outputs = options.output_slots ? options.output_slots : sizes.output_slots;
        incoherent_ = options.homes == homes::of_data::none;
        memory_bytes_ = (inputs + outputs) * slot_bytes_;
        memory_ = static_cast<std::byte*>(detail::allocate_lines(memory_bytes_, home()));
        if (!port::open_link(memory_, static_cast<unsigned>(inputs), static_cast<unsigned>(outputs))) {
            const int error = errno;
            detail::deallocate_lines(memory_, memory_bytes_, home());
            throw std::system_error(error, std::generic_category(), "croft::host_link");
        }
    }
    // Abandons the link unless it was closed: the host is then told that the program ended early.
    ~host_link() { abandon(); }
    host_link(const host_link&) = delete;
    host_link& operator=(const host_link&) = delete;

    // The next message; waits for one. None at the end of the stream.
    std::optional<offloaded<In>> receive() {
        const long got = port::receive_from_link();
        if (got >= 0)
            return std::optional<offloaded<In>>(
                offloaded<In>(slot(static_cast<unsigned>(got & 0xffff), static_cast<std::size_t>(got) >> 16)));
        return std::nullopt;
    }
    // An empty message; waits for a free slot. Throws std::runtime_error once the link is closed.
    returned<Out> make() {
        if (const long got = port::acquire_link_slot(); got >= 0)
            return returned<Out>(slot(static_cast<unsigned>(got), slot_bytes_));
        throw std::runtime_error("croft::host_link: the link is closed, and takes no more results");
    }
    // Throws std::runtime_error once the link is closed.
    void send(returned<Out> message) {
        const unsigned number = message.number();
        [[maybe_unused]] const std::size_t bytes = message.size();
        message.forget();
        if (port::send_to_link(number, bytes)) return;
        throw std::runtime_error("croft::host_link: the link is closed, and takes no more results");
    }
    // The end of the results; waits until the host has them all. A thread that waits in receive() is told that the
    // stream ended.
    void close() { end(false); }
    // Ends it at once. The host learns how the program ended when it does.
    void abandon() { end(true); }

private:
    int home() const { return incoherent_ ? detail::home_none : detail::home_default; }
    detail::link_slot slot(unsigned number, std::size_t bytes) {
        return {memory_ + number * slot_bytes_, bytes, number, incoherent_};
    }
    void end(bool abandoned) {
        if (!closed_.exchange(true)) port::close_link(abandoned);
    }

    // The slots stay the link's until the program ends: messages may be under way.
    std::byte* memory_ = nullptr;
    std::size_t memory_bytes_ = 0, slot_bytes_ = 0;
    bool incoherent_ = false;
    std::atomic<bool> closed_{false};
};

}  // namespace croft
