#include "debug_info/source_lines.hpp"

#include <algorithm>
#include <tuple>

namespace croftsim::debug_info {

std::vector<SourceLine> source_lines(LineTable& table) {
    const std::vector<LineRow> rows = table.rows();
    std::vector<SourceLine> lines;
    std::uint64_t number = 0;
    const std::string* file = nullptr;  // that of the number
    for (std::size_t next = 1; next < rows.size(); ++next) {
        const LineRow &row = rows[next - 1], &after = rows[next];
        if (row.ends_sequence || row.address >= after.address) continue;
        if (file == nullptr || number != row.file) file = &table.path(number = row.file);
        lines.push_back({row.address, after.address, file, row.line});
    }
    const auto key = [](const SourceLine& of) { return std::tie(of.begin, of.end, *of.file, of.line); };
    std::ranges::sort(lines, [&](const SourceLine& a, const SourceLine& b) { return key(a) < key(b); });
    return lines;
}

}  // namespace croftsim::debug_info
