#pragma once
// A function that stops itself in the middle and goes on when it is resumed, with a stack of its own.

#include <ucontext.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

namespace explorer {

class fiber {
public:
    // Lent to one fiber after the other.
    class stack {
    public:
        static constexpr std::size_t size = 64 * 1024;
        char* bottom() { return memory_.get(); }

    private:
        std::unique_ptr<char[]> memory_ = std::make_unique<char[]>(size);
    };

    // Nothing of `body` is run before resume(). A fiber that has begun has to end before it is destroyed.
    fiber(std::function<void()> body, stack& memory) : body_(std::move(body)) { make(memory); }
    fiber(const fiber&) = delete;
    fiber& operator=(const fiber&) = delete;

    // Until its next stop(), or its end.
    void resume() {
        resumed() = this;
        swapcontext(&resumer_, &own_);
    }
    // Called in it: back to whoever resumed it. Throws `abandoned` if it is to go no further.
    void stop() {
        swapcontext(&own_, &resumer_);
        if (abandoned_) throw abandoned();
    }
    // Ends it where it has stopped, so that it frees what it holds.
    void abandon() {
        abandoned_ = true;
        if (!ended_) resume();
    }
    bool ended() const { return ended_; }

private:
    struct abandoned {};

    static fiber*& resumed() {
        static fiber* one = nullptr;
        return one;
    }
    void make(stack& memory) {
        getcontext(&own_);
        own_.uc_stack.ss_sp = memory.bottom();
        own_.uc_stack.ss_size = stack::size;
        own_.uc_link = nullptr;
        makecontext(&own_, &fiber::enter, 0);
    }
    static void enter() {
        fiber& self = *resumed();
        try {
            self.body_();
        } catch (const abandoned&) {
        }
        self.ended_ = true;
        swapcontext(&self.own_, &self.resumer_);
    }

    std::function<void()> body_;
    ucontext_t own_, resumer_;
    bool abandoned_ = false, ended_ = false;
};

}  // namespace explorer
