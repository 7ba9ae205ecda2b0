// An L1's prefetches. A line that is on its way because of one is a copy that no instruction has asked for yet:
//
//   - A load that misses it waits for it, and asks for nothing.
//   - Every other access to it is tried again when it has come. A request behind it would be answered behind it, and
//     the line may lose its place in between, written. Then the answer would bring bytes from before.
//   - No line is asked for that an access waits for. The home would take the second request for a sign that the answer
//     to the first has been dropped.
//   - It does not take the place of a line that has been asked for. Words that are dirty there would go home behind the
//     request, and the answer would bring older ones.
//   - An acquire makes it outdated where readers invalidate: it was asked for before. It is dropped when it comes.
//
// A line that has come hides from the fast path until its first use, which the prefetcher is told of. An out-of-order
// core looks at lines in an order of its own, also ahead. So its prefetcher hears of misses only.

#include <algorithm>

#include "coherence/l1_requester.hpp"
#include "coherence/next_line.hpp"
#include "coherence/stride.hpp"

namespace croftsim {
namespace {

constexpr std::size_t most_under_way = 16;

}  // namespace

std::unique_ptr<Prefetcher> make_prefetcher(const PrefetchDescription& description) {
    switch (description.policy) {
        case PrefetchDescription::Policy::next_line:
            return std::make_unique<NextLine>(description);
        case PrefetchDescription::Policy::stride:
            return std::make_unique<Stride>(description);
    }
    return nullptr;
}

L1Requester::Prefetch* L1Requester::prefetch_of(std::uint64_t line) {
    const auto found = std::ranges::find(prefetches_, line, &Prefetch::line);
    return found == prefetches_.end() ? nullptr : &*found;
}

// A load for which a prefetch is late waits for it.
bool L1Requester::joins_prefetch(std::uint64_t line, std::uint64_t time) {
    Prefetch* const found = prefetch_of(line);
    if (!found) return false;
    if (!found->joined) ++statistics_.prefetches_used;
    found->joined = true;
    prefetch_behind(line, time);  // which may move it
    return true;
}

void L1Requester::prefetch_behind(std::uint64_t line, std::uint64_t time) {
    if (!prefetcher_) return;
    std::vector<std::uint64_t> wanted;
    prefetcher_->wants(line, wanted);
    for (const std::uint64_t one : wanted) {
        if (prefetches_.size() == most_under_way) return;
        if (l1.find(one) || prefetch_of(one) || awaits_store(one) || access_waits_for(one)) continue;
        if (!post_.memory().allows(one, line_bytes, Permission::read)) continue;
        ++statistics_.prefetches;
        prefetches_.push_back({one});
        send(request_for(one, whole_line, Reserve::no, time), time + kind_.l1d.hit);
    }
}

std::optional<L1Requester::Prefetch> L1Requester::end_prefetch(std::uint64_t line) {
    const Prefetch* const found = prefetch_of(line);
    if (!found) return std::nullopt;
    const Prefetch ended = *found;
    prefetches_.erase(prefetches_.begin() + (found - prefetches_.data()));
    return ended;
}

bool L1Requester::access_waits_for(std::uint64_t line) const {
    if (pending_.kind == Pending::Kind::none) return false;
    return line == line_of(pending_.address) || line == line_of(pending_.address + size_of(pending_.type) - 1);
}

bool L1Requester::takes_awaited_place(std::uint64_t line) {
    return !l1.find(line) && access_waits_for(l1.victim(line).address);
}

void L1Requester::outdate_prefetches() {
    for (Prefetch& one : prefetches_) one.outdated = true;
}

void L1Requester::use_prefetched(L1Line& line) {
    ++statistics_.prefetches_used;
    line.prefetched = false;
    l1.show(line);
    prefetch_behind(line.address, std::max(core_.time(), heard_));
}

}  // namespace croftsim
