#include "kernel/pipe.hpp"

#include <algorithm>
#include <bit>

#include "kernel/errno.hpp"
#include "kernel/linux_abi.hpp"

namespace croftsim {

std::size_t Pipe::size() const {
    std::size_t bytes = 0;
    for (const Page& page : pages_) bytes += page.bytes.size() - page.first;
    return bytes;
}

std::size_t Pipe::read(std::span<std::uint8_t> to) {
    std::size_t done = 0;
    while (done < to.size() && !pages_.empty()) {
        Page& page = pages_.front();
        const std::size_t count = std::min<std::size_t>(to.size() - done, page.bytes.size() - page.first);
        std::copy_n(page.bytes.begin() + static_cast<std::ptrdiff_t>(page.first), count, to.begin() + done);
        done += count;
        page.first += count;
        if (page.first == page.bytes.size()) pages_.pop_front();
    }
    return done;
}

std::size_t Pipe::write(std::span<const std::uint8_t> from) {
    std::size_t done = 0;
    const std::size_t odd = from.size() % page_bytes;
    if (odd && !pages_.empty() && pages_.back().bytes.size() + odd <= page_bytes) {
        pages_.back().bytes.insert(pages_.back().bytes.end(), from.begin(), from.begin() + odd);
        done = odd;
    }
    while (done < from.size() && !is_full()) {
        const auto piece = from.subspan(done, std::min(from.size() - done, page_bytes));
        pages_.push_back({{piece.begin(), piece.end()}});
        done += piece.size();
    }
    return done;
}

void Pipe::set_capacity(std::uint64_t bytes) {
    constexpr std::uint64_t most = 1 << 20;
    if (bytes > most) throw Errno{EPERM};
    const std::uint64_t pages = std::bit_ceil(std::max<std::uint64_t>((bytes + page_bytes - 1) / page_bytes, 1));
    if (pages < pages_.size()) throw Errno{EBUSY};
    most_pages_ = pages;
}

}  // namespace croftsim
