#include <fork_union.hpp>

#include <cstddef>
#include <memory>

#include "../../traffic.hpp"
#include "../task_peers.hpp"

namespace bench {
namespace {

namespace fu = ashvardanian::fork_union;

// Its loops do not nest, so there is no fork in it.
void add(std::vector<task_peer>& rows, int threads) {
    const auto pool = std::make_shared<std::unique_ptr<fu::basic_pool_t>>();
    rows.push_back({.name = "fork_union, one after the other",
                    .loop =
                        [pool](fine_loop& work) {
                            (*pool)->for_n_dynamic(fine_loop::chunks,
                                                   [&](std::size_t i) noexcept { work.chunk(static_cast<int>(i)); });
                        },
                    .before =
                        [pool, threads] {
                            *pool = std::make_unique<fu::basic_pool_t>();
                            expect((*pool)->try_spawn(static_cast<std::size_t>(threads)));
                        },
                    .after = [pool] { pool->reset(); }});
}
const listed<task_library> fork_union{{add}};

}  // namespace
}  // namespace bench
