// A stream of more than 2^32 items, from shortly before that on.

#include <croft/channel/policies.hpp>
#include <croft/pattern/engine/collector_node.hpp>
#include <croft/pattern/engine/executor.hpp>
#include <croft/pattern/engine/inlet.hpp>
#include <croft/pattern/engine/item.hpp>
#include <croft/pattern/run_state.hpp>
#include <croft/pattern/stop_request.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

namespace {

using namespace croft::detail;
using number = item_of<std::uint64_t, numbered<plain>>;

struct kept_numbers final : inlet<item_of<std::uint64_t, plain>, croft::policies> {
    item_of<std::uint64_t, plain>* acquire() override { return &own; }
    void publish() override { all.push_back(own.get<std::uint64_t>()); }
    void consume(item_of<std::uint64_t, plain>& in) override { all.push_back(in.get<std::uint64_t>()); }
    void end() override { ended = true; }
    bool may_accept(const look<croft::policies>&) override { return true; }

    item_of<std::uint64_t, plain> own;
    std::vector<std::uint64_t> all;
    bool ended = false;
};

}  // namespace

TEST_CASE("beyond 2^32 items numbers are still those of their emitters, of which some end before others") {
    for (const std::size_t emitters : {1, 2, 3, 5, 7})
        for (std::size_t short_one = 0; short_one < emitters; ++short_one) {
            const std::uint64_t first = (std::uint64_t{1} << 32) - 10, last = first + 30;
            stop_request stop;
            run_state run(stop);
            executor<croft::policies> thread(run);
            kept_numbers kept;
            ordering_node<std::uint64_t, plain, croft::policies> ordered(emitters, emitters, 64, role_state(run, 0),
                                                                         thread, kept, first);
            std::vector<std::uint64_t> expected;
            // The last ones first, so that all wait for their turn; one emitter's stream is shorter.
            for (std::size_t e = emitters; e-- > 0;) {
                for (std::uint64_t n = first; n < last; ++n) {
                    if (n % emitters != e || (e == short_one && n >= first + 12)) continue;
                    auto& to = ordered.of(e);
                    number* const slot = to.acquire();
                    slot->slot() = n;
                    slot->sequence = static_cast<std::uint32_t>(n);
                    slot->last = true;
                    slot->hole = slot->failed = false;
                    to.publish();
                }
                if (e == short_one) ordered.of(e).end();
            }
            for (std::uint64_t n = first; n < last; ++n)
                if (n % emitters != short_one || n < first + 12) expected.push_back(n);
            CHECK(kept.all == expected);  // though the others have not ended
            for (std::size_t e = 0; e < emitters; ++e)
                if (e != short_one) ordered.of(e).end();
            CHECK(kept.ended);
        }
}
