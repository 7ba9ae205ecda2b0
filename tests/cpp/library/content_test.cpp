// As what an item travels (pattern/engine/content.hpp): small plain types as their bytes, all others as themselves.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include <doctest/doctest.h>
#include <croft/pattern/farm.hpp>
#include <croft/pattern/pipeline.hpp>
#include <croft/pattern/run.hpp>

#include "sized_items.hpp"

namespace {

using croft::detail::content_of;

struct with_default {
    int value = 7;
};
struct only_made {
    explicit only_made(int v) : value(v) {}
    int value;
};
struct owner {
    explicit owner(int v) : value(std::make_shared<int>(v)) {}
    std::shared_ptr<int> value;
};
struct never_assigned {
    const int value;
};
struct alignas(16) aligned {
    int value;
};

// Plain, and of one size: one type.
static_assert(std::is_same_v<content_of<int>, content_of<float>>);
static_assert(std::is_same_v<content_of<char>, content_of<int>>);
static_assert(std::is_same_v<content_of<int*>, content_of<double>>);
static_assert(std::is_same_v<content_of<sized<17>>, content_of<sized<24>>>);
static_assert(!std::is_same_v<content_of<sized<16>>, content_of<sized<17>>>);
static_assert(std::is_same_v<content_of<only_made>, content_of<int>>);
static_assert(std::is_same_v<content_of<content_of<int>>, content_of<int>>);
static_assert(sizeof(content_of<sized<3>>) == 4 && alignof(content_of<double>) == 8);
// Of any other kind: itself.
static_assert(std::is_same_v<content_of<with_default>, with_default>);
static_assert(std::is_same_v<content_of<aligned>, aligned>);
static_assert(std::is_same_v<content_of<sized<65>>, sized<65>>);
static_assert(std::is_same_v<content_of<std::string>, std::string>);
static_assert(std::is_same_v<content_of<std::unique_ptr<int>>, std::unique_ptr<int>>);
static_assert(std::is_same_v<content_of<owner>, croft::detail::late<owner>>);

}  // namespace

TEST_CASE("items of any size arrive as they were sent") {  // others: library_slow/content_sizes_test.cpp
    check_order<char>([](int i) { return static_cast<char>(i % 100); });
    check_order<sized<17>>(filled<17>);
    check_order<sized<65>>(filled<65>);
    check_order<std::string>([](int i) { return std::string(static_cast<std::size_t>(i), 'x'); });
}

TEST_CASE("a type that can be copied and not assigned travels as its bytes") {
    int next = 0, sum = 0;
    croft::run(
        [&]() -> std::optional<never_assigned> {
            return next < 100 ? std::optional(never_assigned{next++}) : std::nullopt;
        },
        croft::farm([](never_assigned item) { return never_assigned{2 * item.value}; }, {.workers = 2}),
        [&](const never_assigned& item) { sum += item.value; });
    CHECK(sum == 9900);
}

TEST_CASE("what is written in place is the object: a source, a stage, of plain types and others") {
    for (const std::size_t threads : {1, 3}) {
        int next = 0;
        long sum = 0;
        croft::run(
            [&](sized<24>& item) {
                item = filled<24>(next);
                return next++ < 100;
            },
            croft::farm([](const sized<24>& from, double& to) { to = from.bytes[1]; }, {.workers = 2}),
            [&](double item) { sum += static_cast<long>(item); }, {.threads = threads});
        CHECK(sum == 5050);
        next = 0, sum = 0;
        croft::run([&](with_default& item) { return item.value = next, next++ < 100; },
                   [](const with_default& from, with_default& to) { to.value += from.value; },
                   [&](const with_default& item) { sum += item.value; }, {.threads = threads});
        CHECK(sum >= 4950);  // each slot begins with its type's own default
    }
}
