#pragma once
// An out-of-order core of a run that is fast-forwarded (RunOptions::fast_forward): it runs out of order in the regions
// that the program wants counted, and in order, which the host does several times as fast, before, between and behind
// them. This is an approximation, and never the default.
//
// Both models are those of every other run. They share the core, its caches and the thread, so that a region begins
// with warm caches; the branch predictor learns in the window alone, and keeps what it learned in earlier regions.
//
// When the turns change. A region begins and ends when the kernel acts, which is at one time for all cores. From then
// on a core is to change its model, and does so where it next stands between two instructions: at once if it runs in
// order, since it stands in front of a memory operation or of a block, at that time or behind it by register arithmetic
// that is nobody else's business; when what it waits for has come if it sleeps; and when its window is empty if it has
// one (it drains as it does for an interrupt). Each of these is a time of the simulated machine's, which does not
// depend on how far a core may run ahead: until the kernel acts no core is beyond it but for such arithmetic, and where
// that ends is the first memory operation or block behind that time, however often the core was stopped on its way
// there.

#include "core/in_order.hpp"
#include "core/out_of_order.hpp"

namespace croftsim {

class FastForward final : public CoreModel {
public:
    // `blocks`: decoded for the interpreter to run one behind the other.
    FastForward(const CoreKind& kind, Core& core, DecodedCode& code, BlockCache& blocks);

    std::uint32_t core() const { return core_.id; }
    // From `now` on the core is to run out of order, or not any more. This may change next().
    void measure(bool on, std::uint64_t now);

    std::uint64_t next() const override {
        if (!in_window_) return in_order_.next();
        return measures_ ? window_.next() : window_.next_to_leave();
    }
    void run(std::uint64_t safe, std::uint64_t stop) override;
    bool is_beyond(std::uint64_t time) override {
        return in_window_ ? window_.is_beyond(time) : in_order_.is_beyond(time);
    }
    void go_back(std::uint64_t time) override { in_order_.go_back(time); }
    bool drain(bool due) override { return in_window_ && window_.drain(due || !measures_); }
    bool stands(std::uint64_t time) override { return !in_window_ || window_.stands(time); }

    // A window that has not the core has nothing in flight, and minds none of these.
    void line_arrived(std::uint64_t line, const std::uint8_t* bytes, std::uint64_t time, std::uint64_t usable,
                      bool from_memory) override {
        window_.line_arrived(line, bytes, time, usable, from_memory);
    }
    void line_lost(std::uint64_t line, std::uint64_t time) override { window_.line_lost(line, time); }
    void store_done(std::uint64_t time) override { window_.store_done(time); }
    void program_arrived(std::uint64_t line, std::uint64_t time, std::uint64_t usable) override {
        window_.program_arrived(line, time, usable);
        in_order_.program_arrived(line, time, usable);  // of one that sleeps for it
    }
    void book_wait(std::uint64_t now) override { window_.book_wait(now); }
    void statistics(std::uint32_t core, const StatisticRow& row) const override;

private:
    void enter_window();
    void leave_window();
    std::uint64_t in_order_instructions() const;

    Core& core_;
    InOrder in_order_;
    OutOfOrder window_;
    BlockCache& blocks_of_window_;
    BlockCache& blocks_in_order_;
    bool in_window_ = false, measures_ = false;
    std::uint64_t instructions_ = 0;  // that it ran in order, up to its last window
    std::uint64_t left_ = 0;          // the core's, when it left its last window
};

}  // namespace croftsim
