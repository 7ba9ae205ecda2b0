#pragma once
// Transitions of states, to be printed as tables.

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace croftsim {

class TransitionTable {
public:
    void note(const std::string& state, const std::string& event, const std::string& outcome) {
        cells_[{state, event}].insert(outcome);
    }
    std::set<std::string> states() const {
        std::set<std::string> all;
        for (const auto& [key, outcomes] : cells_) all.insert(key.first);
        return all;
    }

    // As a table in Markdown: a row for each event, a column for each of these states.
    std::string markdown(const std::vector<std::string>& states, const std::vector<std::string>& events) const {
        std::string text = "| |";
        for (const std::string& state : states) text += " " + state + " |";
        text += "\n| --- |";
        for (std::size_t i = 0; i < states.size(); ++i) text += " --- |";
        text += "\n";
        for (const std::string& event : events) {
            std::string row = "| " + event + " |";
            bool any = false;
            for (const std::string& state : states) {
                const auto cell = cells_.find({state, event});
                std::string outcomes;
                if (cell != cells_.end())
                    for (const std::string& outcome : cell->second)
                        outcomes += (outcomes.empty() ? "" : "<br>") + outcome;
                any |= !outcomes.empty();
                row += " " + outcomes + " |";
            }
            if (any) text += row + "\n";
        }
        return text;
    }
    // A cell beside these, or nothing.
    std::string unlisted(const std::vector<std::string>& states, const std::vector<std::string>& events) const {
        const auto in = [](const std::vector<std::string>& all, const std::string& one) {
            return std::find(all.begin(), all.end(), one) != all.end();
        };
        for (const auto& [key, outcomes] : cells_)
            if (!in(states, key.first) || !in(events, key.second)) return key.first + " / " + key.second;
        return "";
    }

private:
    std::map<std::pair<std::string, std::string>, std::set<std::string>> cells_;
};

}  // namespace croftsim
