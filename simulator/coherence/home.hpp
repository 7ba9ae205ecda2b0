#pragma once
// The home side of the coherence protocol of tiles: a tile's L2 serves the lines homed there and keeps their directory.

#include <cstdint>

#include "base/archive.hpp"
#include "coherence/home_engine.hpp"
#include "coherence/private_caches.hpp"

namespace croftsim {

class Home final : public HomeEngine {
public:
    Home(std::uint32_t tile, const MachineDescription& machine, PrivateCaches& caches, Core& core, Post& post)
        : HomeEngine(tile, *machine.home, caches.port, post, core.check),
          allocate_(machine.home->allocate),
          caches_(caches),
          core_(core) {}

    // A free line for `address`, whose previous content has been dealt with; null if the whole set is busy. `own`: for
    // a store of the core's own, which is not done until the old content has reached memory, so that its fences wait.
    Line* make_room(std::uint64_t address, std::uint64_t time, bool own);

    // This tile's copy of a line homed here goes to memory, and the core's fences wait for it.
    void write_back(Line& line, std::uint64_t time, bool awaited);
    // Brings all of a line into this tile's L1.
    void bring_into_l1(Line& line);
    // A place for a line of this home, without a read of memory; null if there is no room now.
    Line* allocate(std::uint64_t address, std::uint64_t time, bool own);

    // Whether receiving the message takes something away that the core may use by itself. If so, the core has to do its
    // work since the message's time again, behind it.
    bool disturbs_core(const Message& message) {
        switch (message.kind) {
            case MessageKind::read:
                return message.requester != node_ && caches_.writable.permits(message.line);
            case MessageKind::write_through:
                return message.into_l1 || caches_.uses(message.line) ||
                       (message.fills_line && uses_victim(message.line));
            case MessageKind::atomic:
            case MessageKind::store_conditional:
                return caches_.uses(message.line);
            case MessageKind::leave:
                return message.into_l1;
            case MessageKind::memory_data:
            case MessageKind::alarm:
            case MessageKind::write_data:
                return uses_victim(message.line);
            case MessageKind::invalidate:
                return caches_.uses(message.line);
            case MessageKind::invalidate_ack:
                return caches_.uses(message.line);  // others may have waited behind it
            default:
                return false;
        }
    }

    bool handles(MessageKind kind) const {
        return kind <= MessageKind::leave || kind == MessageKind::invalidate_ack || kind == MessageKind::memory_data ||
               kind == MessageKind::alarm;
    }

private:
    void begin(Message* request, std::uint64_t start) override;
    bool install(Message& request, Message& arrival) override;
    void installed(Message* request, std::uint64_t time) override;
    void answered(Message* answer) override;

    bool uses_victim(std::uint64_t line) {
        const Line* victim = caches_.l2.leaving(line);
        return victim && victim->address != Line::nothing && caches_.uses(victim->address);
    }
    void serve(Message* message, Line& line, std::uint64_t start);
    void read(Message* message, Line& line, std::uint64_t start);
    bool may_store(const Message& message, Line& line);
    void follow_hints(const Message& message, Line& line, std::uint64_t time);
    // Answers now, or after every other sharer has acknowledged its invalidation.
    void answer_after_invalidations(Message* message, Line& line, std::uint64_t start);
    std::uint64_t finish_write(Message* message, Line& line, std::uint64_t time);
    SharerSet sharers(const Line& line) { return caches_.l2.sharers(line); }
    void invalidate_sharers(const Line& line, std::uint64_t time);

    const std::uint32_t allocate_;  // cycles
    PrivateCaches& caches_;
    Core& core_;
};
static_assert(is_listed<Home, 184>);  // it adds nothing

}  // namespace croftsim
