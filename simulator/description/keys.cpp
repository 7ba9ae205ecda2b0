#include "description/keys.hpp"

#include <algorithm>
#include <cmath>

namespace croftsim {

std::string real_text(double above, double most) {
    const auto whole = [](double number) { return grouped(static_cast<std::uint64_t>(std::llround(number))); };
    return joined("number above ", whole(above), " to ", whole(most));
}

bool is_label(const std::string& text) {
    const auto plain = [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    };
    return !text.empty() && plain(text.front()) &&
           std::all_of(text.begin(), text.end(), [&](char c) { return plain(c) || c == '.' || c == '_' || c == '-'; });
}

}  // namespace croftsim
