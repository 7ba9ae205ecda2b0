#pragma once
// Takes messages from N channels in the order of their sequence numbers, which ascend by one over all channels and so,
// with gaps, in each. It never waits in vain: the number it looks for is in the front slot of the channel that has it,
// or not sent yet, because all lower numbers were taken before; or nobody will send it, which is known once every
// channel's front is.

#include <cstddef>
#include <cstdint>
#include <vector>

#include <croft/channel/many_to_one.hpp>

namespace croft::detail {

// Message has a member `sequence`.
template <class Message, class Policies>
class in_order {
public:
    explicit in_order(many_to_one<Message, Policies>& from) : from_(from), fronts_(from.size()) {}

    // Waits for the next message; null when all senders have ended.
    Message* receive_in_place() {
        for (;;) {
            bool all_known = true;
            std::size_t i = last_;
            for (std::size_t seen = 0; seen < fronts_.size(); ++seen) {
                if (++i >= fronts_.size()) i = 0;
                front& it = fronts_[i];
                if (!it.known && from_.sender(i).may_receive(relaxed_load{})) {
                    it.known = true;
                    it.message = from_.sender(i).receive_in_place();
                    if (it.message) it.sequence = it.message->sequence;
                }
                if (it.message && it.sequence == next_) {
                    last_ = i;
                    return it.message;
                }
                all_known &= it.known;
            }
            if (all_known) {
                // Nobody will send the number that is due: of several emitters some have ended before others. So the
                // lowest one there is comes next; if every front is an end, none.
                const front* lowest = nullptr;
                for (const front& it : fronts_)
                    if (it.message && (!lowest || it.sequence < lowest->sequence)) lowest = &it;
                if (!lowest) return nullptr;
                next_ = lowest->sequence;
                continue;
            }
            from_.flush_acks();
            from_.waiter().wait([this](auto load) {
                for (std::size_t k = 0; k < fronts_.size(); ++k)
                    if (!fronts_[k].known && from_.sender(k).may_receive(load)) return true;
                return false;
            });
        }
    }
    void set_ack() {
        fronts_[last_] = {};
        from_.sender(last_).set_ack();
        ++next_;
    }

private:
    struct front {
        bool known = false;          // the channel's next message or end has come
        Message* message = nullptr;  // null: its end
        std::uint32_t sequence = 0;  // a copy, so that looking for a number leaves the slots alone
    };
    many_to_one<Message, Policies>& from_;
    std::vector<front> fronts_;
    std::size_t last_ = 0;
    std::uint32_t next_ = 0;
};

}  // namespace croft::detail
