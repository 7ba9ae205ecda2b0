// croft's tasks under the senders of a library: prints what came out, or ends with an error.

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <croft/channel/channel.hpp>
#include <croft/coroutine/async_close.hpp>
#include <croft/coroutine/async_receive.hpp>
#include <croft/coroutine/async_send.hpp>
#include <croft/interop/parallel_scheduler.hpp>
#include <croft/interop/senders.hpp>
#include <croft/task/parallel_for.hpp>
#include <croft/task/parallel_reduce.hpp>
#include <croft/task/scheduler.hpp>
#include <croft/task/worker_local.hpp>

#if defined(__cpp_lib_senders)
namespace ex = std::execution;
using std::inplace_stop_source, std::this_thread::sync_wait;
#else
#include <exec/task.hpp>
namespace ex = stdexec;
using stdexec::inplace_stop_source, stdexec::sync_wait;
#endif

#if defined(__cpp_lib_senders)
namespace std::execution::parallel_scheduler_replacement {
#else
namespace stdexec::parallel_scheduler_replacement {
#endif
std::shared_ptr<parallel_scheduler_backend> query_parallel_scheduler_backend() {
    static const auto one = std::make_shared<croft::interop::parallel_scheduler>();
    return one;
}
}

namespace {

void check(bool right, const char* what) {
    if (right) return;
    std::fprintf(stderr, "wrong: %s\n", what);
    std::exit(1);
}

template <class Token>
struct with_token {
    Token token;
    auto query(decltype(ex::get_stop_token)) const noexcept { return token; }
};

void values(auto workers) {
    static_assert(ex::scheduler<decltype(workers)>);
    static_assert(ex::sender_in<decltype(ex::schedule(workers)), ex::env<>>);
    check(ex::get_forward_progress_guarantee(workers) == ex::forward_progress_guarantee::parallel, "the guarantee");
    check(ex::get_completion_scheduler<ex::set_value_t>(ex::get_env(ex::schedule(workers))) == workers,
          "the completion scheduler");

    const auto caller = std::this_thread::get_id();
    auto [elsewhere] = sync_wait(ex::schedule(workers) | ex::then([caller] {
                                     return caller != std::this_thread::get_id() && croft::worker_index().has_value();
                                 }))
                           .value();
    check(elsewhere, "on a worker");

    auto sum_of = [](long n) { return croft::parallel_reduce(0L, n, 0L, [](long i) { return i; }, std::plus<>()); };
    auto [a, b, c] = sync_wait(ex::when_all(ex::starts_on(workers, ex::just(1000L) | ex::then(sum_of)),
                                            ex::starts_on(workers, ex::just(2000L) | ex::then(sum_of)),
                                            ex::just(3000L) | ex::continues_on(workers) | ex::then(sum_of)))
                         .value();
    std::printf("sums %ld %ld %ld\n", a, b, c);

    // Each step goes back to the scheduler.
    long steps = 0;
    for (int i = 0; i < 2000; ++i) {
        sync_wait(ex::schedule(workers) | ex::let_value([&] { return ex::schedule(workers); }) |
                  ex::then([&] { ++steps; }));
    }
    std::printf("steps %ld\n", steps);
}

void errors(auto workers) {
    try {
        sync_wait(ex::schedule(workers) | ex::then([] {
                      croft::parallel_for(0, 1000, [](int i) {
                          if (i == 500) throw std::runtime_error("step 500");
                      });
                  }));
        check(false, "an exception");
    } catch (const std::runtime_error& error) {
        std::printf("caught %s\n", error.what());
    }
}

void stops(auto workers) {
    inplace_stop_source source;
    source.request_stop();
    bool ran = false;
    auto stopped = sync_wait(ex::write_env(ex::schedule(workers) | ex::then([&] {
                                               ran = true;
                                               return 1;
                                           }),
                                           with_token<decltype(source.get_token())>{source.get_token()}) |
                             ex::upon_stopped([] { return 2; }));
    check(!ran, "nothing runs once stopped");
    std::printf("stopped %d\n", std::get<0>(stopped.value()));
    // An error elsewhere stops what has not begun.
    try {
        sync_wait(ex::when_all(ex::schedule(workers) | ex::then([] { throw std::runtime_error("one of two"); }),
                               ex::schedule(workers) | ex::let_value([=] { return ex::schedule(workers); })));
    } catch (const std::runtime_error& error) {
        std::printf("caught %s\n", error.what());
    }
}

void bulk_on_the_parallel_scheduler() {
    constexpr std::size_t n = 100'000;
    std::vector<int> squares(n), twice(n);
    auto on = ex::get_parallel_scheduler();
    sync_wait(ex::schedule(on) |
              ex::bulk_chunked(ex::par, n,
                               [&](std::size_t first, std::size_t last) {
                                   check(croft::worker_index().has_value(), "bulk on a worker");
                                   for (std::size_t i = first; i < last; ++i)
                                       squares[i] = static_cast<int>(i % 100 * (i % 100));
                               }) |
              ex::bulk_unchunked(ex::par, n, [&](std::size_t i) { twice[i] = 2 * squares[i]; }));
    std::printf("bulk %ld\n", std::accumulate(twice.begin(), twice.end(), 0L));
}

#if !defined(__cpp_lib_senders)
exec::task<long> fib(long n) {
    if (n < 2) co_return n;
    co_return co_await fib(n - 1) + co_await fib(n - 2);
}
exec::task<long> sum_of(croft::channel<int>& from) {
    long sum = 0;
    while (const auto one = co_await croft::async_receive(from)) sum += *one;
    co_return sum;
}
exec::task<int> send_all(croft::channel<int>& to, int count) {
    for (int i = 0; i < count; ++i) co_await croft::async_send(to, i);
    co_await croft::async_close(to);
    co_return count;
}
void coroutines(auto workers) {
    auto [value] = sync_wait(ex::starts_on(workers, fib(15))).value();
    std::printf("task %ld\n", value);

    croft::channel<int> numbers(3);
    auto [sum, sent] = sync_wait(ex::when_all(ex::starts_on(workers, sum_of(numbers)),
                                              ex::starts_on(workers, send_all(numbers, 1000))))
                           .value();
    std::printf("received %ld of %d\n", sum, sent);
}
#endif

}  // namespace

int main() {
    croft::task_scheduler own(3);
    for (auto workers : {croft::get_scheduler(), croft::get_scheduler(own)}) {
        values(workers);
        errors(workers);
        stops(workers);
#if !defined(__cpp_lib_senders)
        coroutines(workers);
#endif
    }
    check(croft::get_scheduler() == croft::get_scheduler() && croft::get_scheduler() != croft::get_scheduler(own),
          "schedulers are equal if they are the same");
    bulk_on_the_parallel_scheduler();
}
