// std::condition_variable: producers and consumers at a bounded queue. Usage: condition_variable N
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

class Queue {
public:
    void put(int value) {
        std::unique_lock held(mutex_);
        room_.wait(held, [&] { return values_.size() < 4; });
        values_.push_back(value);
        some_.notify_one();
    }
    int take() {
        std::unique_lock held(mutex_);
        some_.wait(held, [&] { return !values_.empty(); });
        const int value = values_.front();
        values_.pop_front();
        room_.notify_one();
        return value;
    }

private:
    std::mutex mutex_;
    std::condition_variable room_, some_;
    std::deque<int> values_;
};

int main(int argc, char** argv) {
    const int count = argc > 1 ? std::atoi(argv[1]) : 1;
    const int producers = (count + 1) / 2, consumers = count - producers ? count - producers : 1, items = 20;
    Queue queue;
    std::vector<std::thread> makers, users;
    std::vector<long> sums(consumers);
    for (int p = 0; p < producers; ++p)
        makers.emplace_back([&, p] {
            for (int i = 1; i <= items; ++i) queue.put(p * items + i);
        });
    const auto use = [&](int c) {
        for (int value = queue.take(); value != 0; value = queue.take()) sums[c] += value;
    };
    if (count > 1) {
        for (int c = 0; c < consumers; ++c) users.emplace_back(use, c);
        for (auto& maker : makers) maker.join();
        for (int c = 0; c < consumers; ++c) queue.put(0);
        for (auto& user : users) user.join();
    } else {
        for (int i = 0; i < producers * items; ++i) sums[0] += queue.take();
        makers[0].join();
    }
    long total = 0;
    for (const long sum : sums) total += sum;
    std::printf("%d items, sum %ld\n", producers * items, total);
}
