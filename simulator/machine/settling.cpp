// The memory system comes to rest between two cycles: the kernel is about to change pages.

#include <algorithm>
#include <deque>
#include <vector>

#include "machine/machine.hpp"

namespace croftsim {

// Messages under way are delivered in an order that a network might have had. Those that are routed come first, by
// their arrival. Then come those that are not, by their injection, and then those that come of these, when they are
// sent. So messages from one node to another about one line keep their order, which is all that the protocols count on.
// Tiles are told at this cycle, at which their cores stand: to a core it is as if its messages had come now. The work
// of other nodes takes its time, which starts here.
void Machine::settle() {
    std::vector<Message*> found;
    const auto nodes = static_cast<std::uint32_t>(tiles_.size() + other_events_.size());
    for (std::uint32_t node = 0; node < nodes; ++node) {
        EventQueue& events = events_of(node);
        std::vector<Message*> kept;  // those of the user network stay
        while (events.next() != never) {
            Message* const message = events.pop();
            (is_of_memory(message->kind) ? found : kept).push_back(message);
        }
        for (Message* message : kept) events.push(message);
    }
    std::ranges::sort(found, comes_before);
    std::deque<Message*> settling(found.begin(), found.end());
    std::vector<Message*> of_programs;
    outbox_.take_all([&](Message* message) {
        if (!is_of_memory(message->kind)) return of_programs.push_back(message);
        count(*message);
        settling.push_back(message);
    });
    for (Message* message : of_programs) outbox_.push(message);

    settling_ = &settling;
    while (!settling.empty()) {
        Message* const message = settling.front();
        settling.pop_front();
        const std::uint32_t node = message->destination;
        if (node >= system_node_) {
            system_->receive(node - system_node_, message);
        } else if (node >= tiles_.size()) {
            controllers_[node - tiles_.size()].receive(message);
        } else {
            message->time = now_;
            deliver(*tiles_[node], message);
        }
    }
    settling_ = nullptr;
    for (std::uint32_t node = 0; node < nodes; ++node) refresh(node);
}

}  // namespace croftsim
