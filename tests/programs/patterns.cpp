// Runs a pattern on a stream, on as many threads as there are cores, and checks what comes out: patterns NAME [KIND].
// KIND is a kind of channel. Prints "ok" or what is wrong.

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <croft/channel/kinds.hpp>
#include <croft/pattern/farm_of.hpp>
#include <croft/pattern/feedback.hpp>
#include <croft/pattern/pipeline.hpp>
#include <croft/pattern/run.hpp>

namespace {

constexpr int items = 60;

auto count_to(int count) {
    return [next = 0, count]() mutable -> std::optional<int> {
        return next < count ? std::optional(next++) : std::nullopt;
    };
}
int triple(int n) { return 3 * n; }
int halve(int n) { return n / 2; }

template <class Policies, class Pattern>
std::vector<int> results_of(Pattern pattern) {
    std::vector<int> made;
    croft::run<Policies>(count_to(items), pattern, [&](int n) { made.push_back(n); });
    return made;
}
std::vector<int> expected(int (*of)(int)) {
    std::vector<int> all;
    for (int n = 0; n < items; ++n) all.push_back(of(n));
    return all;
}
std::vector<int> sorted(std::vector<int> all) {
    std::sort(all.begin(), all.end());
    return all;
}

// By name; true if it is right.
template <class Policies>
std::map<std::string, std::function<bool()>> checks() {
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
        {"farm", [] { return sorted(results_of<Policies>(croft::farm_of(triple))) == expected(triple); }},
        {"ordered", [] { return results_of<Policies>(croft::farm_of(triple, {.ordered = true})) == expected(triple); }},
        {"rows",
         [] {
             return results_of<Policies>(croft::farm_of(
                        triple, {.workers = 6, .ordered = true, .emitters = 2, .collectors = 2})) == expected(triple);
         }},
        {"nested",
         [] {
             const auto inner = croft::farm_of(croft::pipeline(triple, triple), {.workers = 3});
             return results_of<Policies>(croft::farm_of(inner, {.workers = 3, .ordered = true})) ==
                    expected([](int n) { return 9 * n; });
         }},
        {"feedback",
         [] {
             const auto large = [](const int& n) { return n > 5; };
             return sorted(results_of<Policies>(croft::feedback(croft::farm_of(halve, {.workers = 5}), large))) ==
                    sorted(expected([](int n) {
                        do n /= 2;
                        while (n > 5);
                        return n;
                    }));
         }},
        {"exception",
         [] {
             try {
                 croft::run<Policies>(count_to(1'000'000),
                                      croft::farm_of([](int n) { return n == 40 ? throw n : n; }, {.ordered = true}),
                                      [](int) {});
             } catch (int thrown) {
                 return thrown == 40;
             }
             return false;
         }},
    };
}

template <class Policies>
int check(const std::string& name) {
    const auto all = checks<Policies>();
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
    if (kind == "ra-hf") return check<croft::kinds::ra_hf>(name);
    if (kind == "ra-home") return check<croft::kinds::ra_home>(name);
    if (kind == "ra-udn") return check<croft::kinds::ra_udn>(name);
    return check<croft::policies>(name);
}
