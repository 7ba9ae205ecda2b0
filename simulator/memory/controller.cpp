#include "memory/controller.hpp"

#include <algorithm>

#include "contract/post.hpp"
#include "contract/unexpected.hpp"

namespace croftsim {
namespace {

bool is_write(const Message& message) { return message.kind == MessageKind::memory_write; }

}  // namespace

MemoryController::MemoryController(std::uint32_t node, const MemoryDescription& shape, double clock_mhz, Post& post)
    : node_(node), shape_(shape), post_(post) {
    if (!shape.dram) return;
    const DramTraits& dram = traits_of(shape.dram->standard);
    rank_.emplace(dram.times, clock_mhz, shape.dram->mapping.value_or(dram.mapping()));
}

void MemoryController::receive(Message* message) {
    const std::uint64_t time = message->time;
    if (message->kind == MessageKind::alarm) {
        post_.pool().release(message);
        will_choose_ = false;
        return serve_next(time);
    }
    expect(is_write(*message) || message->kind == MessageKind::memory_read, *message);
    const std::uint64_t start = std::max(time, free_);
    free_ = start + shape_.occupancy;
    statistics_.waited += start - time;
    statistics_.busy += shape_.occupancy;
    ++(is_write(*message) ? statistics_.writes : statistics_.reads);
    if (!rank_) return answer(message, start + shape_.latency, start + shape_.write_latency);
    queue_.push_back({message, start});
    plan_choice();
}

void MemoryController::answer(Message* message, std::uint64_t read_done, std::uint64_t write_done) {
    const bool writes = is_write(*message);
    if (writes && !message->awaited) return post_.pool().release(message);
    message->kind = writes ? MessageKind::memory_ack : MessageKind::memory_data;
    message->destination = message->source;
    post_.send(node_, message, writes ? write_done : read_done);
}

void MemoryController::plan_choice() {
    if (will_choose_ || queue_.empty()) return;
    will_choose_ = true;
    post_.send_self(node_, post_.pool().make(MessageKind::alarm, node_, 0),
                    std::max(queue_.front().entered, rank_->next_choice()));
}

// Whether it may be served before those that came before it.
bool MemoryController::may_pass(std::size_t which) const {
    const Message& late = *queue_[which].message;
    return std::all_of(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(which), [&](const Request& one) {
        return one.message->source != late.source || !is_write(*one.message);
    });
}

// Chooses among those that are through the port by `time`.
std::size_t MemoryController::choose(std::uint64_t time) const {
    const std::size_t seen = std::min<std::size_t>(queue_.size(), shape_.dram->queue);
    for (std::size_t i = 0; i < seen && queue_[i].entered <= time; ++i)
        if (rank_->is_open(place_of(queue_[i].message->line)) && may_pass(i)) return i;
    return 0;
}

void MemoryController::serve_next(std::uint64_t time) {
    rank_->refresh_until(time);
    const std::size_t chosen = choose(time);
    Message* const message = queue_[chosen].message;
    statistics_.queued += time - queue_[chosen].entered;
    queue_.erase(queue_.begin() + static_cast<std::ptrdiff_t>(chosen));

    const bool writes = is_write(*message);
    const DramRank::Place place = place_of(message->line);
    const DramRank::Burst burst = rank_->next(place, writes, time);
    rank_->perform(place, writes, burst);
    statistics_.open_rows += burst.meets == DramRank::Meets::open_row;
    statistics_.closed_banks += burst.meets == DramRank::Meets::closed_bank;
    statistics_.other_rows += burst.meets == DramRank::Meets::other_row;
    answer(message, burst.first + shape_.latency - rank_->idle_read(),
           burst.first + shape_.write_latency - rank_->idle_write());
    plan_choice();
}

// Which of its stripes it is, as if the program's addresses were the memory's.
DramRank::Place MemoryController::place_of(std::uint64_t line) const {
    const std::uint64_t stripe = line / shape_.stripe / shape_.controllers.size();
    return rank_->place_of(stripe * shape_.stripe + line % shape_.stripe);
}

void MemoryController::serialise(Archive& archive) {
    archive(free_, statistics_, will_choose_, queue_);
    if (rank_) archive(*rank_);
}

}  // namespace croftsim
