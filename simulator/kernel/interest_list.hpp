#pragma once
// epoll: a list of files, what the program wants to hear of each, and which of that is so.

#include <vector>

#include "kernel/open_file.hpp"

namespace croftsim {

class Files;

class InterestList final : public OpenFile {
public:
    // struct epoll_event, as RISC-V has it
    struct Event {
        static constexpr bool is_plain = true;
        std::uint32_t events = 0, pad = 0;
        std::uint64_t data = 0;
    };
    static constexpr std::uint32_t exclusive = 1u << 28, wakes_up = 1u << 29, one_shot = 1u << 30, edge = 1u << 31;

    InterestList(Files& files, std::uint32_t flags) : OpenFile(flags), files_(files) {}

    std::size_t read(std::span<std::uint8_t>) override { throw Errno{EINVAL}; }
    std::size_t write(std::span<const std::uint8_t>) override { throw Errno{EINVAL}; }
    std::int64_t seek(std::int64_t, int) override { return 0; }  // as Linux
    struct stat status() const override { return invented_status(0600, invented_numbers + number); }
    std::uint32_t ready() override;
    bool can_be_polled() const override { return true; }
    std::uint64_t changes(std::uint32_t) override;
    Kind kind() const override { return Kind::interest; }
    void serialise(Archive& archive) override { archive(items_); }

    // These throw Errno as epoll_ctl fails. `file` is what `fd` stands for.
    void add(std::int32_t fd, OpenFile& file, const Event& event);
    void change(std::int32_t fd, OpenFile& file, const Event& event);
    void remove(std::int32_t fd, const OpenFile& file);

    // At most so many of what is so; for those after them, the next call begins.
    std::vector<Event> take(std::size_t most);

private:
    struct Item {
        static constexpr bool is_plain = true;
        std::int32_t fd = 0;
        std::uint32_t disabled = 0;  // 1: told once, as wanted
        std::uint64_t file = 0;      // OpenFile::number
        Event wanted;
        std::uint64_t seen = never;  // of its file's changes, when it was told last
    };
    static constexpr std::uint64_t never = ~std::uint64_t{0};

    Item* find(std::int32_t fd, const OpenFile& file);
    // The events of the file that are wanted of it now.
    std::uint32_t events_of(const Item& item, OpenFile& file) const;
    void forget_closed();
    // How many lists follow each other from here down; throws Errno{ELOOP} if `above` is among them.
    unsigned depth(const InterestList& above) const;

    Files& files_;
    std::vector<Item> items_;
};
static_assert(is_listed<InterestList, 88>);

}  // namespace croftsim
