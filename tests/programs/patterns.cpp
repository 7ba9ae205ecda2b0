// Runs a pattern on a stream, on as many threads as there are cores, and checks what comes out: patterns NAME [KIND].
// KIND is a kind of channel. Prints "ok" or what is wrong.

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <croft/channel/kinds.hpp>
#include <croft/pattern/accelerator.hpp>
#include <croft/pattern/divide_and_conquer.hpp>
#include <croft/pattern/farm.hpp>
#include <croft/pattern/feedback.hpp>
#include <croft/pattern/graph.hpp>
#include <croft/pattern/pipeline.hpp>
#include <croft/pattern/prefix.hpp>
#include <croft/pattern/reduce.hpp>
#include <croft/pattern/run.hpp>
#include <croft/pattern/stencil.hpp>

#include "numbers.hpp"

namespace {

using namespace numbers;

int last(const std::vector<int>& all) { return all.empty() ? 0 : all.back(); }

croft::grid<int> ramp(int n) {
    croft::grid<int> made(static_cast<std::size_t>(n % 24), 12);
    for (std::size_t i = 0; i < made.cells.size(); ++i) made.cells[i] = static_cast<int>(i * i % 101);
    return made;
}
int mix(const int* above, const int* here, const int* below) {
    return (3 * above[0] + 5 * here[-1] + 7 * here[0] + 11 * here[1] + 13 * below[0]) % 1009;
}
int fold(const croft::grid<int>& all) {
    int sum = 0;
    for (const int cell : all.cells) sum = (31 * sum + cell) % 65521;
    return sum;
}
int stepped(int n) {
    croft::grid<int> from = ramp(n);
    for (int step = 0; step < 3; ++step) {
        croft::grid<int> to = from;
        for (std::size_t r = 1; r + 1 < from.rows; ++r)
            for (std::size_t c = 1; c + 1 < from.columns; ++c)
                to.at(r, c) = mix(&from.at(r - 1, c), &from.at(r, c), &from.at(r + 1, c));
        from = to;
    }
    return fold(from);
}

int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

using checks = std::map<std::string, std::function<bool()>>;

// By name; true if it is right. These have links of every sort among them, and run over every kind of channel.
template <class Policies>
checks checks_of_links() {
    return {
        {"pipeline",
         [] {
             return results_of<Policies>(croft::pipeline(
                        triple, [](const int& n, long& out) { out = n + 1; },
                        [](long n, croft::out<int>& out) {
                            out.send(static_cast<int>(n));
                            out.send(static_cast<int>(n));
                        },
                        [even = true](int n) mutable { return (even = !even) ? std::optional(n) : std::nullopt; })) ==
                    expected([](int n) { return 3 * n + 1; });
         }},
        {"ordered", [] { return results_of<Policies>(croft::farm(triple, {.ordered = true})) == expected(triple); }},
        {"rows",
         [] {
             return results_of<Policies>(croft::farm(
                        triple, {.workers = 6, .ordered = true, .emitters = 2, .collectors = 2})) == expected(triple);
         }},
        {"feedback",
         [] {
             const auto large = [](const int& n) { return n > 5; };
             return sorted(results_of<Policies>(croft::feedback(croft::farm(halve, {.workers = 5}), large))) ==
                    sorted(expected([](int n) {
                        do n /= 2;
                        while (n > 5);
                        return n;
                    }));
         }},
        {"prefix",
         [] {
             return results_of<Policies>(croft::pipeline(range, croft::prefix(std::plus<>()), last)) ==
                    expected([](int n) { return n * (n + 1) / 2; });
         }},
        {"graph",
         [] {
             croft::graph<int, int, Policies> g;
             auto tripled = g.add(g.input(), croft::farm(triple, {.workers = 3, .ordered = true}));
             auto [even, odd] = g.split(g.input(), [](const int& n) { return n % 2 == 0; });
             auto all = g.add(g.join(tripled, g.add(g.input(), halve)),
                              [](const std::pair<int, int>& both) { return both.first + both.second; });
             g.leave(g.merge(all, g.add(even, [](int n) { return 1000 + n; }), odd));
             std::vector<int> right;
             for (int n = 0; n < items; ++n) right.insert(right.end(), {3 * n + n / 2, n % 2 ? n : 1000 + n});
             return sorted(results_of<Policies>(std::move(g))) == sorted(right);
         }},
    };
}
// All others are made of the same links.
template <class Policies>
checks other_checks() {
    return {
        {"farm", [] { return sorted(results_of<Policies>(croft::farm(triple))) == expected(triple); }},
        {"nested",
         [] {
             const auto inner = croft::farm(croft::pipeline(triple, triple), {.workers = 3});
             return results_of<Policies>(croft::farm(inner, {.workers = 3, .ordered = true})) ==
                    expected([](int n) { return 9 * n; });
         }},
        {"reduce",
         [] {
             return results_of<Policies>(croft::pipeline(range, croft::reduce(0, std::plus<>()))) ==
                    expected([](int n) { return n * (n + 1) / 2; });
         }},
        {"stencil",
         [] { return results_of<Policies>(croft::pipeline(ramp, croft::stencil(3, mix), fold)) == expected(stepped); }},
        {"divide_and_conquer",
         [] {
             auto count = croft::divide_and_conquer([](const int& n) { return n < 2; }, [](int n) { return n; },
                                                    [](int n) { return std::vector{n - 1, n - 2}; },
                                                    [](std::vector<int> parts) { return parts[0] + parts[1]; });
             return sorted(results_of<Policies>(croft::pipeline([](int n) { return n % 10; }, count))) ==
                    sorted(expected([](int n) { return fibonacci(n % 10); }));
         }},
        {"accelerator",
         [] {
             croft::accelerator<int, int, Policies> there(croft::farm(triple, {.ordered = true}));
             std::vector<int> made;
             for (int n = 0; n < items;) {
                 if (there.try_offload(n)) ++n;
                 while (auto result = there.try_get_result()) made.push_back(*result);
             }
             there.close();
             while (auto result = there.get_result()) made.push_back(*result);
             return made == expected(triple);
         }},
        {"too_many_threads",
         [] {
             croft::run<Policies>(count_to(items), croft::farm(triple, {.workers = 70}), [](int) {}, {.threads = 72});
             return false;
         }},
        {"exception",
         [] {
             try {
                 croft::run<Policies>(count_to(1'000'000),
                                      croft::farm([](int n) { return n == 40 ? throw n : n; }, {.ordered = true}),
                                      [](int) {});
             } catch (int thrown) {
                 return thrown == 40;
             }
             return false;
         }},
    };
}

int check(const std::string& name, const checks& all) {
    const auto found = all.find(name);
    if (found == all.end()) {
        std::fprintf(stderr, "patterns: there is no check of %s\n", name.c_str());
        return 2;
    }
    const bool right = found->second();
    std::printf("%s\n", right ? "ok" : "WRONG");
    return right ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
    const std::string name = count > 1 ? arguments[1] : "", kind = count > 2 ? arguments[2] : "";
    if (kind == "ra-hf") return check(name, checks_of_links<croft::kinds::ra_hf>());
    if (kind == "ra-home") return check(name, checks_of_links<croft::kinds::ra_home>());
    if (kind == "ra-udn") return check(name, checks_of_links<croft::kinds::ra_udn>());
    checks all = checks_of_links<croft::policies>();
    all.merge(other_checks<croft::policies>());
    return check(name, all);
}
