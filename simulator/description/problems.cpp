#include "description/problems.hpp"

#include <stdexcept>

#include "description/nearest.hpp"

namespace croftsim {

Problems::Inside::Inside(Problems& problems, const std::string& part)
    : problems_(problems), outside_(problems.part_.size()) {
    problems.part_ = problems.full(part);
}

void Problems::missing(const std::string& key) { add(key, joined("key `", full(key), "` is missing")); }

void Problems::unknown(const std::string& key, const std::vector<std::string>& known) {
    const std::string meant = nearest(key, known);
    add(key, joined("unknown key `", full(key), "`", meant.empty() ? "" : joined("; did you mean `", meant, "`?")));
}

void Problems::not_allowed(const std::string& key, const std::string& value, const std::string& allowed) {
    impossible(key, "= ", value, ": it should be ", allowed);
}

void Problems::raise(const std::string& about) const {
    std::string text;
    for (const Problem& problem : all_) text += joined(text.empty() ? "" : "\n", about, ": ", problem.sentence);
    if (!text.empty()) throw std::invalid_argument(text);
}

std::string Problems::full(const std::string& key) const {
    return part_.empty() || key.starts_with('[') ? part_ + key : part_ + "." + key;
}

}  // namespace croftsim
