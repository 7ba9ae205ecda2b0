#pragma once
// One process's end of a channel in shared memory that mpi::channel or mpi::request_reply has chosen. It is the object
// of a `Channel` of croft's own over memory that both map, and this side's waiter. The object is there once the two
// have met (shared_meeting.hpp). An end that is destroyed says so: a receiver leaves, and a receiver that has slept for
// a second finds that the sender is gone.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <croft/mpi/channel_options.hpp>
#include <croft/mpi/error.hpp>
#include <croft/mpi/framed_channel.hpp>
#include <croft/mpi/hello.hpp>
#include <croft/mpi/in_shared_memory.hpp>
#include <croft/mpi/processes.hpp>
#include <croft/mpi/shared_meeting.hpp>
#include <croft/mpi/waiter.hpp>

namespace croft::mpi::detail {

// How much memory a channel takes that is made of these.
template <class Channel, class... Arguments>
std::size_t lines_taken(waiter& any, Arguments... arguments) {
    line_supply none = line_supply::of_none();
    const Channel measured(arguments..., homes::in_shared_memory(none), &any, &any);
    return none.taken_of_none();
}

template <class Channel>
class shared_end {
public:
    static constexpr std::uint32_t transport = 2;

    // `arguments`: of the channel, before its home. `least`, `element`: see framed_channel.hpp. Waits for nobody.
    template <class... Arguments>
    shared_end(const processes& group, end_of end, const channel_options& options, std::size_t least,
               std::uint64_t element, Arguments... arguments)
        : group_(group),
          is_maker_(end.way == direction::in),
          waiter_(given(is_maker_ ? options.receiver_waiter : options.sender_waiter, own_waiter_)) {
        checked(group, end.peer, options, least, element, end.way);
        if (!group.on_this_node(end.peer))
            throw error(
                at_rank(group) + "rank " + std::to_string(end.peer) + " is on another node, and shares no memory",
                group.rank());
        if (own_waiter_ && static_cast<std::size_t>(group.size_of_node()) > os::core_count_of_node())
            own_waiter_->share_cores();
        naps_.emplace(*waiter_);
        const hello mine{transport, end.way, options.frame_bytes, element, options.degree, 0};
        meeting_ = std::make_unique<shared_meeting>(group, end.peer, tag_of(group, end.peer, options), mine, is_maker_,
                                                    lines_taken<Channel>(*waiter_, arguments...), *waiter_);
        build_ = [this, arguments...] {
            line_supply lines{meeting_->memory(), !is_maker_};  // who reads the lines makes them: they are near it
            waiter* const other = &meeting_->other();
            channel_.emplace(arguments..., homes::in_shared_memory(lines), is_maker_ ? other : waiter_,
                             is_maker_ ? waiter_ : other);
        };
        if (!is_maker_) return;
        if (meeting_->memory()) build_();
        meeting_->make_offer();
    }
    ~shared_end() {
        waiter_->forget(this);
        naps_.reset();
        try {
            if (is_maker_) leave();
            channel_.reset();
            meeting_->let_go();
            group_.keep(std::move(meeting_));
        } catch (...) {
            if (meeting_) meeting_->abandon();
            group_.leave_communicator();
        }
    }
    shared_end(const shared_end&) = delete;
    shared_end& operator=(const shared_end&) = delete;

    int peer() const { return meeting_ ? meeting_->peer() : no_rank; }
    bool is_maker() const { return is_maker_; }
    waiter& own() { return *waiter_; }

    // The channel; null as long as the two have not met. Throws `error` if they cannot.
    [[gnu::always_inline]] Channel* now() {
        if (!has_met_) [[unlikely]]
            if (!meet()) return nullptr;
        return &*channel_;
    }
    // Waits for it.
    [[gnu::always_inline]] Channel& get() {
        while (!has_met_) [[unlikely]]
            if (!meet()) waiter_->wait([this](auto) { return meeting_->step(); });
        return *channel_;
    }
    // The same until then at the latest: null if that has passed.
    template <class End>
    Channel* get_by(const End& end) {
        while (!now())
            if (!waits::wait_until(*waiter_, [this](auto) { return meeting_->step(); }, end)) return now();
        return &*channel_;
    }

    // By who receives; also before the two have met: the other one will find it.
    void leave() {
        if (std::exchange(has_left_, true) || !channel_) return;
        channel_->leave();
    }

private:
    [[gnu::noinline]] bool meet() {
        if (!meeting_->step()) return false;
        if (!is_maker_) build_();
        waiter_->watch(
            this, meeting_->process_of_peer(), peer(),
            [this] { return is_maker_ ? channel_->ended() : channel_->disconnected(); },
            [this] { return meeting_->peer_is_gone(); });
        naps_.reset();  // MPI has nothing more to bring
        return has_met_ = true;
    }

    const processes& group_;
    bool is_maker_, has_met_ = false, has_left_ = false;
    std::unique_ptr<waiter> own_waiter_;
    waiter* waiter_;
    std::optional<naps_for> naps_;
    std::unique_ptr<shared_meeting> meeting_;
    std::function<void()> build_;
    std::optional<Channel> channel_;
};

}  // namespace croft::mpi::detail
