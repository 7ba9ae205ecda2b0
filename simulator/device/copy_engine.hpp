#pragma once
// A tile's DMA engine: it copies memory line by line while the core goes on (paper 003, section II: "automatic
// memory-to-cache and cache-to-cache data transfers"). For each piece of a line it asks the source's home for the line,
// and writes the words through to the destination's home. That home invalidates every copy, this tile's own included. A
// few pieces are under way at a time. Copies are made in no particular order, and only croft.copied tells their end.

#include <cstdint>
#include <functional>

#include "base/archive.hpp"
#include "contract/post.hpp"
#include "core/core.hpp"

namespace croftsim {

class CopyEngine {
public:
    struct Statistics {
        static constexpr bool is_plain = true;
        std::uint64_t copies = 0, bytes = 0;
    };

    // `to_home` takes a message for the home in this tile, which has arrived at message->time.
    CopyEngine(std::uint32_t tile, std::function<void(Message*)> to_home, Core& core, Post& post)
        : tile_(tile), to_home_(std::move(to_home)), core_(core), post_(post) {}

    // Starts a copy at core.time(); waits for the one before.
    Access start(std::uint64_t to, std::uint64_t from, std::uint64_t bytes);
    bool busy() const { return left_ > 0 || under_way_ > 0; }
    // An answer for the engine arrives at message->time. Takes it over.
    void receive(Message* message);
    const Statistics& statistics() const { return statistics_; }
    void serialise(Archive& archive) { archive(to_, from_, left_, under_way_, statistics_); }

private:
    static constexpr std::uint32_t most_under_way = 4;
    void go_on(std::uint64_t time);
    void ask(Message* message, std::uint64_t line, std::uint64_t time);

    std::uint32_t tile_;
    const std::function<void(Message*)> to_home_;
    Core& core_;
    Post& post_;
    std::uint64_t to_ = 0, from_ = 0, left_ = 0;  // what has not been asked for yet
    std::uint32_t under_way_ = 0;                 // pieces
    Statistics statistics_;
};
static_assert(is_listed<CopyEngine, 104>);

}  // namespace croftsim
