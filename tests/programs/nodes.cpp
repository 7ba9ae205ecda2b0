// Maps and graphs in other patterns, and a farm with several collectors: nodes NAME. Prints "ok" or what is wrong. (A
// program of its own, because each graph is compiled for streams and for loops.)

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <croft/pattern/farm.hpp>
#include <croft/pattern/feedback.hpp>
#include <croft/pattern/graph.hpp>
#include <croft/pattern/map.hpp>
#include <croft/pattern/pipeline.hpp>
#include <croft/pattern/run.hpp>

#include "numbers.hpp"

namespace {

using namespace numbers;

// By name; true if it is right.
std::map<std::string, std::function<bool()>> checks() {
    return {
        {"map",
         [] {
             // In place, then scattered and gathered, then combined.
             const auto add_one = [](std::vector<int>& all, croft::share mine) {
                 const croft::slice own = mine.of(all.size());
                 for (std::size_t i = own.begin; i < own.end; ++i) ++all[i];
             };
             const auto cut = [](std::vector<int>& from, croft::share part) {
                 const croft::slice own = part.of(from.size());
                 const auto at = [&](std::size_t i) { return from.begin() + static_cast<std::ptrdiff_t>(i); };
                 return std::vector<int>(at(own.begin), at(own.end));
             };
             const auto doubled = [](std::vector<int> part) {
                 for (int& each : part) each *= 2;
                 return part;
             };
             const auto paste = [](const std::vector<int>&, std::vector<std::vector<int>> parts) {
                 std::vector<int> all;
                 for (const auto& each : parts) all.insert(all.end(), each.begin(), each.end());
                 return all;
             };
             const auto digits = [](const std::vector<int>& all, croft::share mine) {
                 const croft::slice own = mine.of(all.size());
                 int value = 0;
                 for (std::size_t i = own.begin; i < own.end; ++i) value += all[i] * static_cast<int>(i + 1);
                 return value;
             };
             return results_of(croft::pipeline(
                        range, croft::map(add_one), croft::map(doubled, paste, {.workers = 5}, cut),
                        croft::map(digits, std::plus<>(), {4, croft::distribution::linear}))) == expected([](int n) {
                        int value = 0;
                        for (int i = 1; i <= n; ++i) value += 2 * (i + 1) * i;
                        return value;
                    });
         }},
        {"graph_in_farm",
         [] {
             // And that in a loop: a graph of which each worker has a copy, and whose messages the loop counts.
             croft::graph<int, int> g;
             auto [even, odd] = g.split(g.input(), [](const int& n) { return n % 2 == 0; });
             auto halved = g.add(even, halve);
             g.add(odd, triple);
             g.leave(g.merge(halved, g.add(odd, croft::farm(halve, {.workers = 2, .ordered = true}))));
             const auto large = [](const int& n) { return n > 5; };
             const auto right = expected([](int n) {
                 do n /= 2;
                 while (n > 5);
                 return n;
             });
             auto farm = croft::farm(g, {.workers = 2});
             auto ordered =
                 croft::farm(croft::pipeline(croft::feedback(std::move(g), large)), {.workers = 2, .ordered = true});
             return sorted(results_of(croft::feedback(farm, large))) == sorted(right) && results_of(ordered) == right;
         }},
        {"collectors",
         [] {
             std::vector<int> made(items);
             croft::run(count_to(items), croft::farm(triple, {.workers = 5, .collectors = 2}),
                        [&](int n, croft::farm_part part) { made[part.task] = n; },
                        {.place = croft::placements::thread_a_role{.pinned = true}});  // so eight threads
             return made == expected(triple);
         }},
    };
}

}  // namespace

int main(int count, char** arguments) {
    const auto all = checks();
    const auto found = all.find(count > 1 ? arguments[1] : "");
    if (found == all.end()) {
        std::fprintf(stderr, "nodes: there is no such check\n");
        return 2;
    }
    const bool right = found->second();
    std::printf("%s\n", right ? "ok" : "WRONG");
    return right ? 0 : 1;
}
