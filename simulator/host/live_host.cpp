#include "host/live_host.hpp"

#include <algorithm>
#include <utility>

namespace croftsim {

LiveHost::LiveHost(Slots slots) : slots_(slots) {
    if (slots.input == 0 || slots.output == 0) throw std::invalid_argument("a host link has a slot each way at least");
}

bool LiveHost::offload(Bytes& message, Milliseconds most) {
    std::unique_lock guard(lock_);
    if (closed_) throw std::logic_error("offload() after close(): the stream has ended");
    for_caller_.wait_for(guard, most, [&] { return finished_ || served_ || messages_.size() < slots_.input; });
    if (served_) throw HostEnded("the program closed the link before its stream ended, and takes no more messages");
    if (finished_) refuse();
    if (messages_.size() == slots_.input) return false;
    messages_.push_back(std::move(message));
    changed_ = true;
    for_simulation_.notify_one();
    return true;
}

std::optional<LiveHost::Bytes> LiveHost::get(Milliseconds most) {
    std::unique_lock guard(lock_);
    for_caller_.wait_for(guard, most, [&] { return !results_.empty() || served_ || finished_; });
    if (results_.empty()) {
        if (finished_ && !served_) refuse();
        return std::nullopt;
    }
    Bytes result = std::move(results_.front());
    results_.pop_front();
    changed_ = true;
    for_simulation_.notify_one();
    return result;
}

bool LiveHost::exhausted() const {
    const std::lock_guard guard(lock_);
    return results_.empty() && served_;
}

void LiveHost::close() {
    const std::lock_guard guard(lock_);
    closed_ = changed_ = true;
    for_simulation_.notify_one();
}

void LiveHost::stop() {
    const std::lock_guard guard(lock_);
    stopping_ = changed_ = true;
    for_simulation_.notify_one();
}

bool LiveHost::stopping() const {
    const std::lock_guard guard(lock_);
    return stopping_;
}

std::uint64_t LiveHost::next(std::uint64_t now) {
    const std::lock_guard guard(lock_);
    return messages_.empty() ? never : now;
}

LiveHost::Bytes LiveHost::take() {
    const std::lock_guard guard(lock_);
    Bytes message = std::move(messages_.front());
    messages_.pop_front();
    for_caller_.notify_all();
    return message;
}

bool LiveHost::ended() {
    const std::lock_guard guard(lock_);
    return closed_ && messages_.empty();
}

bool LiveHost::reserve() {
    const std::lock_guard guard(lock_);
    if (reserved_ + results_.size() >= slots_.output) return false;
    ++reserved_;
    return true;
}

void LiveHost::deliver(Bytes result, std::uint64_t) {
    const std::lock_guard guard(lock_);
    --reserved_;
    results_.push_back(std::move(result));
    for_caller_.notify_all();
}

void LiveHost::closed() {
    const std::lock_guard guard(lock_);
    served_ = true;
    for_caller_.notify_all();
}

void LiveHost::wait(Milliseconds most) {
    std::unique_lock guard(lock_);
    for_simulation_.wait_for(guard, most, [&] { return changed_; });
    changed_ = false;
}

void LiveHost::finished(const std::string& why) {
    const std::lock_guard guard(lock_);
    finished_ = true;
    why_ = why;
    for_caller_.notify_all();
}

void LiveHost::refuse() const {
    throw HostEnded(why_.empty() ? "the program on the co-processor ended before it closed the link" : why_);
}

void LiveHost::serialise(Archive&) {
    throw CheckpointError("a machine whose host is a program in real time cannot be kept: the host would not go back");
}

}  // namespace croftsim
