// Loops over the elements of what has random access.

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <deque>
#include <numeric>
#include <span>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <vector>

#include <croft/task/parallel_for.hpp>

namespace {

template <class Container>
void check_doubled(Container numbers) {
    std::iota(std::begin(numbers), std::end(numbers), 0);
    croft::parallel_for(numbers, [](int& each) { each *= 2; }, {.grain = 3});
    int expected = 0;
    for (const int each : numbers) CHECK(each == 2 * expected++);
}

}  // namespace

TEST_CASE("parallel_for takes containers, arrays and spans") {
    check_doubled(std::vector<int>(1000));
    check_doubled(std::deque<int>(1000));
    check_doubled(std::array<int, 100>());
    check_doubled(std::vector<int>());
    int plain[50] = {};
    croft::parallel_for(plain, [](int& each) { each = 1; });
    CHECK(std::accumulate(std::begin(plain), std::end(plain), 0) == 50);
    croft::parallel_for(std::span(plain).subspan(10, 5), [](int& each) { each = 0; });
    CHECK(std::accumulate(std::begin(plain), std::end(plain), 0) == 45);
}

TEST_CASE("parallel_for over elements: a body that changes, one that is large, one that is named") {
    std::vector<std::string> words(100, "a");
    std::atomic<int> letters{0};
    const std::string longer(100, 'b');
    const auto body = [&letters, longer](const std::string& word) {
        letters += static_cast<int>((word + longer).size());
    };
    croft::parallel_for(words, body);
    CHECK(letters == 100 * 101);
    std::atomic<int> calls{0};
    croft::parallel_for(words, [&calls, own = std::atomic<int>(0)](std::string&) mutable {
        ++own;
        ++calls;
    });
    CHECK(calls == 100);
}

TEST_CASE("parallel_for over elements: exceptions and stops") {
    std::vector<int> numbers(1000, 1);
    CHECK_THROWS_AS(croft::parallel_for(numbers, [](int) { throw std::runtime_error("x"); }), std::runtime_error);
    std::stop_source stop;
    CHECK(croft::parallel_for(numbers, [](int& each) { each = 2; }, stop.get_token()));
    CHECK(std::accumulate(numbers.begin(), numbers.end(), 0) == 2000);
    stop.request_stop();
    CHECK(!croft::parallel_for(numbers, [](int& each) { each = 3; }, stop.get_token()));
    CHECK(std::accumulate(numbers.begin(), numbers.end(), 0) == 2000);
}
