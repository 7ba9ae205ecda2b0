#include "description/kind.hpp"

#include "cache/instruction_l1.hpp"
#include "cache/line_cache.hpp"

namespace croftsim {
namespace {

std::string quoted(Protocol protocol) { return joined("'", name_of(protocol), "'"); }
std::string in_brackets(std::uint32_t number) { return joined("(", number, ")"); }

// The names of the protocols for which it holds.
std::string names_where(bool (*holds)(const ProtocolTraits&)) {
    Words<Protocol> names;
    for (const ProtocolTraits& one : protocols())
        if (holds(one)) names.push_back({one.name, one.protocol});
    return text_of(names);
}

void require_line(const char* key, std::uint32_t line, const std::string& where, Problems& problems) {
    if (line != line_bytes) problems.impossible(key, "must be 64 ", where, ", but is ", line);
}

void check_program_cache(const CoreKind& kind, Problems& problems) {
    if (!kind.l1i) return;
    require_line("l1i.line", kind.l1i->line, "for a cache of instructions", problems);
    // A block of instructions lies in up to four lines, which are there together.
    if (kind.l1i->ways > InstructionL1::most_ways || kind.l1i->size < 4 * line_bytes * kind.l1i->ways)
        problems.impossible("l1i.ways", in_brackets(kind.l1i->ways), " must be at most ", InstructionL1::most_ways,
                            ", in 4 sets at least");
}

void check_below(const CoreKind& kind, Problems& problems) {
    if (kind.l2->hit < kind.l1d.hit)
        problems.impossible("l2.hit", in_brackets(kind.l2->hit), " must not be less than l1d.hit ",
                            in_brackets(kind.l1d.hit));
}

// The tile's L2, which includes the L1, is home to a share of the lines.
void check_tile(const CoreKind& kind, Problems& problems) {
    if (kind.prefetch)
        problems.impossible("prefetch", "has no meaning under ", quoted(kind.protocol),
                            ": only L1s whose homes are behind them have prefetchers yet");
    check_program_cache(kind, problems);
    if (kind.itlb && !kind.l1i) problems.impossible("itlb", "needs l1i: without, every instruction is there at once");
    if (kind.out_of_order && (kind.dtlb || kind.itlb))
        problems.impossible(kind.dtlb ? "dtlb" : "itlb",
                            "needs a core that is in order: a window does not stop for software that handles a miss");
    if (kind.core.outstanding_stores < 3)
        problems.impossible("core.outstanding_stores", "must be at least 3, but is ", kind.core.outstanding_stores,
                            ": a store makes up to three messages");
    if (kind.l1d.line != 16 && kind.l1d.line != line_bytes)
        problems.impossible("l1d.line", "must be 16 or 64, but is ", kind.l1d.line,
                            ": the simulator has no other L1 lines yet");
    if (!kind.l2) return problems.impossible("l2", "is missing, which ", quoted(kind.protocol), " needs");
    if (kind.l2->line != line_bytes)
        problems.impossible("l2.line", "must be 64, but is ", kind.l2->line,
                            ": the simulator has no other L2 lines yet");
    check_below(kind, problems);
    if (kind.l1d.size > kind.l2->size)
        problems.impossible("l1d.size", in_brackets(kind.l1d.size), " must not be larger than l2.size ",
                            in_brackets(kind.l2->size));
}

void check_at_shared(const CoreKind& kind, Problems& problems) {
    require_line("l1d.line", kind.l1d.line, "beside a shared L2", problems);
    if (kind.l2) {
        require_line("l2.line", kind.l2->line, "before a shared L2", problems);
        check_below(kind, problems);
    }
    check_program_cache(kind, problems);
    if (kind.dtlb || kind.itlb)
        problems.impossible(kind.dtlb ? "dtlb" : "itlb", "has no meaning under ", quoted(kind.protocol),
                            ": at a shared L2 translating takes no time yet");
}

// Its loads are done in any order. One that was too early is taken back when another core writes its line. So the
// protocol has to tell it of that write (core/out_of_order.hpp, line_lost).
void check_out_of_order(const CoreKind& kind, Problems& problems) {
    if (!traits_of(kind.protocol).writers_invalidate) {
        const std::string able = names_where([](const ProtocolTraits& one) { return one.writers_invalidate; });
        problems.impossible("out_of_order", "needs protocol = ", able, ", not ", quoted(kind.protocol),
                            ": its loads are taken back when another core writes their line, which "
                            "a protocol without invalidations does not tell it");
    }
    require_line("l1d.line", kind.l1d.line, "for an out-of-order core", problems);
}

}  // namespace

void check(const CoreKind& kind, Problems& problems) {
    if (kind.core.outstanding_stores == 0 && (kind.out_of_order || !traits_of(kind.protocol).owns)) {
        const std::string able = names_where([](const ProtocolTraits& one) { return one.owns; });
        problems.impossible("core.outstanding_stores", "can be 0 only in order and with protocol = ", able);
    }
    const ProtocolTraits& traits = traits_of(kind.protocol);
    if (kind.core.stores == CoreDescription::Stores::in_order && !(traits.owns && traits.writers_invalidate)) {
        const std::string able =
            names_where([](const ProtocolTraits& one) { return one.owns && one.writers_invalidate; });
        problems.impossible("core.stores", "= \"in_order\" needs protocol = ", able, ", not ", quoted(kind.protocol));
    }
    if (traits.home == HomeIn::tiles)
        check_tile(kind, problems);
    else
        check_at_shared(kind, problems);
    if (kind.out_of_order) check_out_of_order(kind, problems);
}

}  // namespace croftsim
