// A queue of several senders and receivers, in every interleaving and with every old value that a load may find
// (explorer.hpp).

#include <croft/channel/many_to_many.hpp>

#include "explored_programs.hpp"

#if !defined(__SANITIZE_THREAD__)  // it takes fibers for one thread, and has nothing to find here

namespace {

using namespace explorer;

// In a slot it is data, which is shared; elsewhere a number.
class message {
public:
    message() : in_slot_(std::make_unique<data>()) {}
    explicit message(std::uint32_t number) : number_(number) {}
    message(message&& from) noexcept : number_(from.get()) {}
    message& operator=(message&& from) noexcept {
        in_slot_->set(from.get());
        return *this;
    }
    std::uint32_t get() const { return in_slot_ ? in_slot_->get() : number_; }

private:
    std::unique_ptr<data> in_slot_;
    std::uint32_t number_ = 0;
};

// Each sender sends as many messages, and closes. Each receiver takes what it gets until the end.
template <class World, std::size_t Senders, std::size_t Receivers, std::size_t Degree, std::uint32_t Each>
struct crowd {
    croft::many_to_many<message, modelled<croft::events::packed, bell<World>>> queue{Senders, Receivers, Degree};
    std::array<std::vector<std::uint32_t>, Receivers> got;

    std::vector<std::function<void()>> threads() {
        std::vector<std::function<void()>> all;
        for (std::uint32_t s = 0; s < Senders; ++s)
            all.push_back([this, s] {
                for (std::uint32_t i = 0; i < Each; ++i) queue.send(message(10 * s + i));
                queue.close();
            });
        for (std::size_t r = 0; r < Receivers; ++r)
            all.push_back([this, r] {
                while (const auto next = queue.receive()) got[r].push_back(next->get());
            });
        return all;
    }
    std::string check() const {
        std::vector<std::uint32_t> all;
        for (const auto& some : got) {
            for (std::size_t i = 1; i < some.size(); ++i)
                for (std::size_t before = 0; before < i; ++before)
                    if (some[before] / 10 == some[i] / 10 && some[before] > some[i]) return "a sender's order is lost";
            all.insert(all.end(), some.begin(), some.end());
        }
        std::sort(all.begin(), all.end());
        if (all.size() != Senders * Each) return "messages were lost or repeated";
        for (std::size_t i = 0; i < all.size(); ++i)
            if (all[i] != i / Each * 10 + i % Each) return "a message is not what was sent";
        return "";
    }
};

// Nobody closes, because that would wake all. A slot may be filled before the one that is next. Then the sender that
// fills the next slot wakes one receiver, which has to wake the other receiver.
template <class World>
struct one_each {
    croft::many_to_many<message, modelled<croft::events::packed, bell<World>>> queue{2, 2, 2};
    std::array<std::uint32_t, 2> got{};

    std::vector<std::function<void()>> threads() {
        std::vector<std::function<void()>> all;
        for (std::uint32_t i = 0; i < 2; ++i) {
            all.push_back([this, i] { got[i] = queue.receive()->get(); });
            all.push_back([this, i] { queue.send(message(1 + i)); });
        }
        return all;
    }
    std::string check() const { return got[0] + got[1] == 3 ? "" : "a message was lost or repeated"; }
};

// A sender with too much to send, and a receiver that leaves instead of receiving it.
template <class World>
struct left_alone {
    croft::many_to_many<message, modelled<croft::events::packed, bell<World>>> queue{1, 1, 1};
    bool told = false;

    std::vector<std::function<void()>> threads() {
        return {[this] {
                    try {
                        for (std::uint32_t i = 0; i < 2; ++i) queue.send(message(i));
                    } catch (const croft::disconnected&) {
                        told = true;
                    }
                },
                [this] { queue.leave(); }};
    }
    std::string check() const { return told ? "" : "the sender was not told"; }
};

}  // namespace

TEST_CASE("explorer: one sender and one receiver of a shared queue") {
    hold<crowd<asymmetric, 1, 1, 1, 2>>();
    hold<crowd<symmetric, 1, 1, 1, 1>>();
}

// Three threads are too much to be explored whole, and four more so.
TEST_CASE("explorer: two senders, or two receivers, of a shared queue, up to two preemptions") {
    hold<crowd<asymmetric, 2, 1, 1, 1>>(2);
    hold<crowd<asymmetric, 1, 2, 1, 1>>(2);
}
TEST_CASE("explorer: two senders and two receivers of a shared queue, none of whom closes, up to one preemption") {
    hold<one_each<asymmetric>>(1);
}

TEST_CASE("explorer: a sender of a shared queue whose receiver leaves is told") { hold<left_alone<asymmetric>>(); }

#endif
