#include "description/placement.hpp"

namespace croftsim {

const Words<Placement>& placements() {
    static const Words<Placement> rules{
        {"top", Placement::top}, {"top_and_bottom", Placement::top_and_bottom}, {"corners", Placement::corners}};
    return rules;
}

std::string placements_or(const std::string& list, const char* quote) {
    std::string text;
    for (const Word<Placement>& rule : placements()) text += joined(quote, rule.name, quote, ", ");
    return text + "or " + list;
}

Attachment place_of(std::uint32_t tile, const NetworkDescription& network) {
    const std::uint32_t router = network.router_of(tile), row = router / network.columns;
    return {router % network.columns, row % network.rows, row / network.rows};
}

std::vector<Attachment> placed_by(Placement rule, const NetworkDescription& network) {
    std::vector<Attachment> places;
    const std::uint32_t columns = network.columns, bottom = network.rows - 1;
    const std::uint32_t from_side = rule == Placement::corners ? 0 : columns / 4;
    for (std::uint32_t chip = 0; chip < network.chips; ++chip) {
        switch (rule) {
            case Placement::listed:
                break;
            case Placement::top:
                for (std::uint32_t column = 0; column < columns; ++column) places.push_back({column, 0, chip});
                break;
            case Placement::top_and_bottom:
            case Placement::corners:
                for (const std::uint32_t row : {0u, bottom})
                    for (const std::uint32_t column : {from_side, columns - 1 - from_side})
                        places.push_back({column, row, chip});
        }
    }
    return places;
}

}  // namespace croftsim
