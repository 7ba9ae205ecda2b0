#include "coherence/protocols.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "coherence/denovo.hpp"
#include "coherence/denovo_line.hpp"
#include "coherence/gpu_wb.hpp"
#include "coherence/gpu_wb_fetch.hpp"
#include "coherence/gpu_wt.hpp"
#include "coherence/mesi.hpp"

namespace croftsim {
namespace {

template <class L1>
std::unique_ptr<L1Requester> make(const MachineDescription& machine, const CoreKind& kind, const HomeTimes& home,
                                  Core& core, Post& post) {
    return std::make_unique<L1>(machine, kind, home, core, post);
}

struct Known {
    ProtocolTraits traits;
    decltype(&make<Mesi>) make;  // of those at a shared L2
};
constexpr Known known[] = {
    {{Protocol::ddc, "ddc", HomeIn::tiles, true, false}, nullptr},
    {{Protocol::mesi, "mesi", HomeIn::shared, true, true}, make<Mesi>},
    {{Protocol::denovo, "denovo", HomeIn::shared, false, true}, make<Denovo>},
    {{Protocol::gpu_wt, "gpu_wt", HomeIn::shared, false, false}, make<GpuWt>},
    {{Protocol::gpu_wb, "gpu_wb", HomeIn::shared, false, false}, make<GpuWb>},
    {{Protocol::denovo_line, "denovo_line", HomeIn::shared, false, true}, make<DenovoLine>},
    {{Protocol::gpu_wb_fetch, "gpu_wb_fetch", HomeIn::shared, false, false}, make<GpuWbFetch>},
    {{Protocol::moesi, "moesi", HomeIn::shared, true, true, true}, make<Mesi>},
    // Only between levels (cache_level.hpp).
    {{Protocol::mesif, "mesif", HomeIn::shared, true, true, false, true}, nullptr},
};
constexpr std::size_t of_l1s = std::size(known) - 1;
static_assert(std::ranges::all_of(std::span(known).first(of_l1s),
                                  [](const Known& one) {
                                      return (one.make == nullptr) == (one.traits.home == HomeIn::tiles);
                                  }),
              "an L1 for each protocol at a shared L2");
constexpr auto all = [] {
    std::array<ProtocolTraits, std::size(known)> traits{};
    std::ranges::transform(known, traits.begin(), &Known::traits);
    return traits;
}();
static_assert(std::ranges::all_of(all,
                                  [](const ProtocolTraits& one) { return &all[std::size_t(one.protocol)] == &one; }),
              "in the order of Protocol");

}  // namespace

std::span<const ProtocolTraits> all_protocols() { return all; }
std::span<const ProtocolTraits> protocols() { return all_protocols().first(of_l1s); }
const ProtocolTraits& traits_of(Protocol protocol) { return all[static_cast<std::size_t>(protocol)]; }

std::unique_ptr<L1Requester> make_l1(const MachineDescription& machine, const CoreKind& kind, const HomeTimes& home,
                                     Core& core, Post& post) {
    return known[static_cast<std::size_t>(kind.protocol)].make(machine, kind, home, core, post);
}

}  // namespace croftsim
