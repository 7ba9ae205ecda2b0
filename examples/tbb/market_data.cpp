// ../market_data.cpp with oneTBB: one queue for everything that the book's thread is to do, and a promise for each
// answer.

#include <oneapi/tbb/concurrent_queue.h>

#include <cstdio>
#include <cstdlib>
#include <future>
#include <thread>
#include <variant>
#include <vector>

#include "../market.hpp"

struct question {
    std::uint32_t symbol;
    std::promise<market::summary>* answer;
};
struct end {};  // of an exchange, or of the questions

int main(int count, char** arguments) {
    const std::size_t exchanges = count > 1 ? std::strtoul(arguments[1], nullptr, 10) : 4;
    const std::uint64_t trades = count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 5'000'000;

    tbb::concurrent_bounded_queue<std::variant<market::trade, question, end>> incoming;
    incoming.set_capacity(static_cast<std::ptrdiff_t>(256 * exchanges));
    market::book book;

    std::jthread keeper([&] {
        for (std::size_t open = exchanges + 1; open > 0;) {
            std::variant<market::trade, question, end> next;
            incoming.pop(next);
            if (const auto* const trade = std::get_if<market::trade>(&next))
                book.enter(*trade);
            else if (const auto* const asked = std::get_if<question>(&next))
                asked->answer->set_value(book.of(asked->symbol));
            else
                --open;
        }
    });
    std::vector<std::jthread> feeds;
    for (std::size_t exchange = 0; exchange < exchanges; ++exchange)
        feeds.emplace_back([&, exchange] {
            for (std::uint64_t i = 0; i < trades; ++i) incoming.push(market::from_exchange(exchange, i));
            incoming.push(end());
        });

    std::uint64_t asked = 0, went_back = 0;
    for (std::uint64_t round = 0, before = 0; round < 1000; ++round, ++asked) {
        std::promise<market::summary> answer;
        incoming.push(question{7, &answer});
        const market::summary got = answer.get_future().get();
        went_back += got.trades < before;
        before = got.trades;
    }
    incoming.push(end());
    feeds.clear();  // joins them
    keeper.join();

    const market::summary all = book.total();
    std::printf("%llu trades, volume %llu, turnover %lld; %llu questions answered, %llu went back in time\n",
                static_cast<unsigned long long>(all.trades), static_cast<unsigned long long>(all.volume),
                static_cast<long long>(all.turnover), static_cast<unsigned long long>(asked),
                static_cast<unsigned long long>(went_back));
}
