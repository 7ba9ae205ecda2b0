#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>

#include <doctest/doctest.h>
#include <croft/pattern/accelerator.hpp>
#include <croft/pattern/farm.hpp>
#include <croft/pattern/run.hpp>
#include <croft/port/count_option.hpp>
#include <croft/task/parallel_for.hpp>
#include <croft/task/scheduler.hpp>

namespace {

long sum_by_farm(const croft::farm_options& farm, const croft::run_options& run) {
    int next = 0;
    long sum = 0;
    croft::run([&]() -> std::optional<int> { return next < 100 ? std::optional(next++) : std::nullopt; },
               croft::farm([](int i) { return 2 * i; }, farm), [&](int i) { sum += i; }, run);
    return sum;
}

}  // namespace

TEST_CASE("an option that counts takes any integer") {
    const int workers = 3;
    const unsigned slots = 4;
    const std::ptrdiff_t threads = 2;
    CHECK(sum_by_farm({.workers = workers, .slots = slots}, {.threads = threads}) == 9900);
    CHECK(sum_by_farm({.workers = 3}, {.threads = 2}) == 9900);

    croft::task_scheduler scheduler({.workers = threads});
    CHECK(scheduler.size() == 2);
    croft::accelerator<int, int> doubles([](int i) { return 2 * i; }, {.threads = workers, .input_slots = workers});
    doubles.offload(4);
    CHECK(doubles.get_result() == 8);

    int steps[10]{};
    croft::parallel_for(0, 10, [&](int i) { steps[i] = i; }, {.grain = workers});
    CHECK(steps[9] == 9);
}

TEST_CASE("an option that counts is used as the number that it is") {
    croft::farm_options options;
    CHECK(!options.workers);
    CHECK(options.workers == 0);
    options.workers = 7;
    const std::size_t workers = options.workers;
    CHECK(workers == 7);
    CHECK((options.workers ? std::size_t{options.workers} : 5) == 7);
    CHECK(std::to_string(options.workers) == "7");
    static_assert(croft::count_option(3) + 1 == 4);
    static_assert(!std::is_convertible_v<bool, croft::count_option>);
    static_assert(!std::is_convertible_v<double, croft::count_option>);
}

TEST_CASE("an option that counts refuses a negative number") {
    const int workers = -3;
    CHECK_THROWS_WITH_AS(sum_by_farm({.workers = workers}, {}),
                         "croft: an option that is a number of threads, slots or the like was -3; give it 0 or more",
                         std::invalid_argument);
    CHECK_THROWS_AS((void)croft::run_options{.threads = workers}, std::invalid_argument);
}
