// Trades come in from several exchanges, a thread each, and are entered in a book by one thread, which answers
// questions about it meanwhile. So the book needs no lock, and an answer is of one moment.
//
//     market_data [EXCHANGES [TRADES]]

#include <croft/channel/many_to_one.hpp>
#include <croft/channel/request_reply.hpp>
#include <croft/channel/wait_any.hpp>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "market.hpp"

int main(int count, char** arguments) {
    const std::size_t exchanges = count > 1 ? std::strtoul(arguments[1], nullptr, 10) : 4;
    const std::uint64_t trades = count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 5'000'000;

    // 256 slots for each exchange: so far it may be ahead of the book, and then it waits.
    croft::many_to_one<market::trade> incoming(exchanges, 256);
    // Whoever waits at both has one waiter, which either wakes.
    croft::request_reply<std::uint32_t, market::summary> desk({}, nullptr, &incoming.waiter());
    market::book book;

    std::jthread keeper([&] {
        while (croft::wait_any(incoming, desk)) {
            if (const auto symbol = desk.try_receive()) desk.reply(book.of(*symbol));
            if (const auto trade = incoming.try_receive()) book.enter(*trade);
        }
    });
    std::vector<std::jthread> feeds;
    for (std::size_t exchange = 0; exchange < exchanges; ++exchange)
        feeds.emplace_back([&, exchange] {
            for (std::uint64_t i = 0; i < trades; ++i)
                incoming.sender(exchange).send(market::from_exchange(exchange, i));
            incoming.sender(exchange).close();
        });

    // Whoever wants to know: what is answered may be old by then, but never older than an answer before.
    std::uint64_t asked = 0, went_back = 0;
    for (std::uint64_t round = 0, before = 0; round < 1000; ++round, ++asked) {
        const market::summary answer = desk.call(7);
        went_back += answer.trades < before;
        before = answer.trades;
    }
    desk.close();
    feeds.clear();  // joins them
    keeper.join();

    const market::summary all = book.total();
    std::printf("%llu trades, volume %llu, turnover %lld; %llu questions answered, %llu went back in time\n",
                static_cast<unsigned long long>(all.trades), static_cast<unsigned long long>(all.volume),
                static_cast<long long>(all.turnover), static_cast<unsigned long long>(asked),
                static_cast<unsigned long long>(went_back));
}
