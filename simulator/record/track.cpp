#include "record/track.hpp"

#include <algorithm>

namespace croftsim {
namespace {

bool is_own(Track::Kind kind) { return kind == Track::Kind::mark || kind == Track::Kind::landmark; }

}  // namespace

void Track::wait(std::uint32_t name, std::uint64_t from, std::uint64_t until) {
    write_wait();
    wait_ = {name, from, until};
}

void Track::write_wait() {
    const std::uint64_t from = std::max(wait_.from, timeline_.from()), until = std::min(wait_.until, timeline_.to());
    latest_ = std::max(latest_, wait_.until);
    if (from < until && timeline_.has_room(from)) {
        write_begins(until);
        timeline_.begin(core_, wait_.name, from);
        timeline_.end(core_, until);
    }
    wait_ = {};
}

std::uint64_t Track::place(std::uint64_t time) {
    if (time > wait_.from || latest_ > wait_.from) write_wait();
    return latest_ = std::max(time, latest_);
}

void Track::instant(std::uint32_t name, std::uint64_t time, std::uint64_t flow, bool ends_flow) {
    time = place(time);
    if (time < timeline_.from() || time >= timeline_.to() || !timeline_.has_room(time)) return;
    write_begins(time);
    timeline_.instant(core_, name, time, flow, ends_flow);
}

void Track::begin(Kind kind, std::uint32_t name, std::uint64_t time, std::size_t depth) {
    if (kind == Kind::landmark)
        for (std::size_t at = open_.size(); at-- > 0 && is_own(open_[at].kind) && open_[at].depth >= depth;)
            if (open_[at].kind == kind && open_[at].name == name) end_down_to(at, time);
    time = place(time);
    open_.push_back({kind, name, time, depth, Open::State::to_come});
    if (time >= timeline_.to() || (is_own(kind) && time >= timeline_.from() && !timeline_.has_room(time)))
        open_.back().state = Open::State::left_out;
    else if (time >= timeline_.from())
        write_begins(time);
}

void Track::write_begins(std::uint64_t time) {
    if (time < timeline_.from()) return;
    for (Open& one : open_) {
        if (one.state != Open::State::to_come) continue;
        timeline_.begin(core_, one.name, std::max(one.since, timeline_.from()));
        one.state = Open::State::written;
    }
}

void Track::end_latest(Kind kind, std::uint32_t name, std::uint64_t time) {
    for (std::size_t at = open_.size(); at-- > 0 && is_own(open_[at].kind);)
        if (open_[at].kind == kind && (name == 0 || open_[at].name == name)) return end_down_to(at, time);
}

std::size_t Track::returned(std::size_t depth, std::uint64_t time) {
    std::size_t first = open_.size(), handlers = 0;
    for (std::size_t at = open_.size(); at-- > 0;) {
        const Open& one = open_[at];
        if (one.kind == Kind::mark) continue;
        const bool is_over = one.kind == Kind::handler    ? one.depth >= depth
                             : one.kind == Kind::landmark ? one.depth > depth
                                                          : false;
        if (!is_over) break;
        first = at;
        handlers += one.kind == Kind::handler;
    }
    if (first < open_.size()) end_down_to(first, time);
    return handlers;
}

void Track::end_all(std::uint64_t time) {
    wait_.until = std::min(wait_.until, std::max(time, wait_.from));
    end_down_to(0, time);
    write_wait();
    latest_ = time;
}

void Track::end_down_to(std::size_t count, std::uint64_t time) {
    time = place(time);
    if (time > timeline_.from()) write_begins(time);
    for (; open_.size() > count; open_.pop_back())
        if (open_.back().state == Open::State::written) timeline_.end(core_, std::min(time, timeline_.to()));
}

}  // namespace croftsim
