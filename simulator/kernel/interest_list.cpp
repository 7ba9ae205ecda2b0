#include "kernel/interest_list.hpp"

#include <algorithm>

#include "kernel/files.hpp"

namespace croftsim {

InterestList::Item* InterestList::find(std::int32_t fd, const OpenFile& file) {
    const auto it =
        std::ranges::find_if(items_, [&](const Item& item) { return item.fd == fd && item.file == file.number; });
    return it == items_.end() ? nullptr : &*it;
}

void InterestList::forget_closed() {
    std::erase_if(items_, [&](const Item& item) { return !files_.find(item.file, item.fd); });
}

std::uint32_t InterestList::events_of(const Item& item, OpenFile& file) const {
    if (item.disabled) return 0;
    if (item.wanted.events & edge && file.changes(item.wanted.events) == item.seen) return 0;
    return file.ready() & (item.wanted.events | abi::poll_error | abi::poll_hang_up);
}

std::uint32_t InterestList::ready() {
    forget_closed();
    const bool any = std::ranges::any_of(
        items_, [&](const Item& item) { return events_of(item, *files_.find(item.file, item.fd)) != 0; });
    return any ? abi::poll_reads : 0;
}

std::uint64_t InterestList::changes(std::uint32_t) {
    forget_closed();
    std::uint64_t sum = 0;
    for (const Item& item : items_) sum += files_.find(item.file, item.fd)->changes(item.wanted.events);
    return sum;
}

unsigned InterestList::depth(const InterestList& above) const {
    if (this == &above) throw Errno{ELOOP};
    unsigned deepest = 0;
    for (const Item& item : items_)
        if (const auto* list = dynamic_cast<const InterestList*>(files_.find(item.file, item.fd).get()))
            deepest = std::max(deepest, list->depth(above));
    return deepest + 1;
}

void InterestList::add(std::int32_t fd, OpenFile& file, const Event& event) {
    constexpr unsigned deepest = 4;  // lists below this list, as Linux
    forget_closed();
    if (find(fd, file)) throw Errno{EEXIST};
    const auto* list = dynamic_cast<const InterestList*>(&file);
    if (list && event.events & exclusive) throw Errno{EINVAL};
    if (list && list->depth(*this) > deepest) throw Errno{ELOOP};
    if (event.events & edge) file.tell_each_change();
    items_.push_back({.fd = fd, .file = file.number, .wanted = event});
}

void InterestList::change(std::int32_t fd, OpenFile& file, const Event& event) {
    Item* item = find(fd, file);
    if (!item) throw Errno{ENOENT};
    if ((event.events | item->wanted.events) & exclusive) throw Errno{EINVAL};
    if (event.events & edge) file.tell_each_change();
    *item = {.fd = fd, .file = file.number, .wanted = event};
}

void InterestList::remove(std::int32_t fd, const OpenFile& file) {
    const Item* item = find(fd, file);
    if (!item) throw Errno{ENOENT};
    items_.erase(items_.begin() + (item - items_.data()));
}

std::vector<InterestList::Event> InterestList::take(std::size_t most) {
    forget_closed();
    std::vector<Event> taken;
    std::vector<Item> told;
    std::erase_if(items_, [&](Item& item) {
        if (taken.size() == most) return false;
        OpenFile& file = *files_.find(item.file, item.fd);
        const std::uint32_t events = events_of(item, file);
        if (events == 0) return false;
        taken.push_back({.events = events, .data = item.wanted.data});
        item.seen = file.changes(item.wanted.events);
        item.disabled = (item.wanted.events & one_shot) != 0;
        told.push_back(item);
        return true;
    });
    items_.insert(items_.end(), told.begin(), told.end());
    return taken;
}

}  // namespace croftsim
