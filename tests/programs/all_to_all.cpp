// All to all on as many threads as there are cores: all_to_all any|keyed|numbered|in_farm. Prints "ok" or what is
// wrong.

#include <cstdio>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <croft/pattern/all_to_all.hpp>
#include <croft/pattern/farm.hpp>
#include <croft/pattern/run.hpp>

#include "numbers.hpp"

namespace {

using namespace numbers;

const auto right = [](int n) { return n + 1; };
const auto by_value = [](int n, std::size_t) { return static_cast<std::size_t>(n); };
const std::vector<int> tripled = expected([](int n) { return 3 * n + 1; });

// By name; true if it is right.
std::map<std::string, std::function<bool()>> checks() {
    return {
        {"any",
         [] { return sorted(results_of(croft::all_to_all(triple, right, {.left = 3, .right = 4}))) == tripled; }},
        {"keyed",
         [] {
             const auto pattern = croft::all_to_all(triple, right, {.left = 4, .right = 3}, by_value);
             return sorted(results_of(pattern)) == tripled;
         }},
        {"numbered",
         [] {
             std::vector<int> made;
             croft::run([](std::size_t n) { return n < items ? std::optional(static_cast<int>(n)) : std::nullopt; },
                        croft::all_to_all(triple, right, {.left = 3, .right = 3}, by_value),
                        [&](int n) { made.push_back(n); });
             return sorted(made) == tripled;
         }},
        {"in_farm",
         [] {
             const auto parts = croft::all_to_all(triple, right, {.left = 2, .right = 2}, by_value);
             return results_of(croft::farm(parts, {.workers = 2, .ordered = true})) == tripled;
         }},
    };
}

}  // namespace

int main(int count, char** arguments) {
    const auto all = checks();
    const auto found = count == 2 ? all.find(arguments[1]) : all.end();
    if (found == all.end()) {
        std::fputs("all_to_all any|keyed|numbered|in_farm\n", stderr);
        return 2;
    }
    const bool right_results = found->second();
    std::puts(right_results ? "ok" : "other results than expected");
    return right_results ? 0 : 1;
}
