// Data races as programs have them, each beside the same without: races CASE wrong|right.
// The lines of the two accesses that race are marked with the case's name.

#include <atomic>
#include <barrier>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

#include "race_cases.hpp"

namespace {

using namespace race_cases;

std::mutex mutex, other_mutex;
int data, result;
std::atomic<int> ready;

void counter(bool wrong) {
    const auto count = [=] {
        for (int i = 0; i < 10; ++i) {
            std::unique_lock lock(mutex, std::defer_lock);
            if (!wrong) lock.lock();
            put(data, get(data) + 1);  // counter
        }
    };
    both(count, count);
}

void stop_flag(bool wrong) {
    static bool stop;
    static std::atomic<bool> stop_atomically;
    const auto set = [=] {
        if (wrong)
            put(stop, true);  // stop_flag
        else
            stop_atomically = true;
    };
    const auto wait = [=] {
        bool stopped = false;
        while (!stopped)
            if (wrong)
                stopped = get(stop);  // stop_flag
            else
                stopped = stop_atomically;
    };
    both(set, wait);
}

void publish(bool wrong) {
    both(
        [=] {
            put(data, 1);  // publish
            ready.store(1, wrong ? std::memory_order_relaxed : std::memory_order_release);
        },
        [] {
            while (!ready.load(std::memory_order_acquire)) {
            }
            result = get(data);  // publish
        });
}

void consume(bool wrong) {
    both(
        [] {
            put(data, 1);  // consume
            ready.store(1, std::memory_order_release);
        },
        [=] {
            if (wrong)
                while (!ready.load(std::memory_order_relaxed)) {
                }
            else
                while (!ready.load(std::memory_order_acquire)) {
                }
            result = get(data);  // consume
        });
}

void late_fence(bool wrong) {
    both(
        [=] {
            if (!wrong) put(data, 1);
            std::atomic_thread_fence(std::memory_order_release);
            if (wrong) put(data, 1);  // late_fence
            ready.store(1, std::memory_order_relaxed);
        },
        [] {
            while (!ready.load(std::memory_order_relaxed)) {
            }
            std::atomic_thread_fence(std::memory_order_acquire);
            result = get(data);  // late_fence
        });
}

void double_checked(bool wrong) {
    static int* instance;
    static std::atomic<int*> instance_atomically;
    const auto look = [=] {
        if (wrong) {
            if (!get(instance)) {  // double_checked
                std::scoped_lock lock(mutex);
                if (!get(instance)) put(instance, new int(1));  // double_checked
            }
        } else if (!instance_atomically.load(std::memory_order_acquire)) {
            std::scoped_lock lock(mutex);
            if (!instance_atomically) instance_atomically = new int(1);
        }
    };
    both(
        [=] {
            look();
            meet();
        },
        [=] {
            meet();
            look();
        });
}

void lazy(bool wrong) {
    static std::once_flag once;
    const auto look = [=] {
        if (!wrong)
            std::call_once(once, [] { put(data, 5); });
        else if (!get(data))  // lazy
            put(data, 5);     // lazy
        if (!wrong && get(data) != 5) std::puts("?");
    };
    both(look, look);
}

// Between one producer and one consumer, which look at each other's index.
void queue(bool wrong) {
    static int slots[4];
    static std::atomic<unsigned> head, tail;
    const auto out = wrong ? std::memory_order_relaxed : std::memory_order_release;
    both(
        [=] {
            for (unsigned i = 0; i < 8; ++i) {
                while (i - head.load(std::memory_order_acquire) == 4) {
                }
                put(slots[i % 4], static_cast<int>(i));  // queue
                tail.store(i + 1, out);
            }
        },
        [] {
            for (unsigned i = 0; i < 8; ++i) {
                while (tail.load(std::memory_order_acquire) == i) {
                }
                result += get(slots[i % 4]);  // queue
                head.store(i + 1, std::memory_order_release);
            }
        });
}

void wrong_mutex(bool wrong) {
    both(
        [] {
            std::scoped_lock lock(mutex);
            put(data, 1);  // wrong_mutex
        },
        [=] {
            std::scoped_lock lock(wrong ? other_mutex : mutex);
            put(data, 2);  // wrong_mutex
        });
}

void unlocked_read(bool wrong) {
    static std::map<int, int> map;
    static int found;
    both(
        [] {
            {
                std::scoped_lock lock(mutex);
                map[1] = 2;  // unlocked_read
            }
            meet();  // a thread that ends frees memory, whose lock would order what it has read
        },
        [=] {
            std::unique_lock lock(mutex, std::defer_lock);
            if (!wrong) lock.lock();
            put(found, static_cast<int>(map.size()));  // unlocked_read
            if (lock) lock.unlock();
            meet();
        });
}

void read_lock(bool wrong) {
    static std::shared_mutex shared;
    const auto change = [=] {
        if (wrong) {
            std::shared_lock lock(shared);
            meet();
            put(data, get(data) + 1);  // read_lock
        } else {
            std::unique_lock lock(shared);
            put(data, get(data) + 1);
        }
    };
    both(change, change);
}

void predicate(bool wrong) {
    static std::condition_variable changed;
    static bool there;
    both(
        [=] {
            if (wrong) {
                put(there, true);  // predicate
            } else {
                std::scoped_lock lock(mutex);
                put(there, true);
            }
            changed.notify_one();
        },
        [] {
            std::unique_lock lock(mutex);
            while (!get(there)) changed.wait_for(lock, std::chrono::microseconds(100));  // predicate
        });
}

void no_join(bool wrong) {
    std::thread worker([] { put(data, 7); });  // no_join
    if (!wrong) worker.join();
    result = get(data);  // no_join
    if (wrong) worker.join();
}

void mixed_sizes(bool wrong) {
    alignas(8) static std::uint32_t halves[2];
    both([] { put(halves[1], 1u); },  // mixed_sizes
         [=] {
             if (wrong)
                 put(reinterpret_cast<std::uint64_t&>(halves), std::uint64_t{2});  // mixed_sizes
             else
                 put(halves[0], 2u);
         });
}

void bit_fields(bool wrong) {
    static struct {
        std::uint8_t low : 4, high : 4;
        std::uint8_t own;
    } bits;
    both([] { bits.low = 1; },  // bit_fields
         [=] {
             if (wrong)
                 bits.high = 2;  // bit_fields
             else
                 bits.own = 2;
         });
}

void payload(bool wrong) {
    const auto shared = std::make_shared<int>(0);
    const auto change = [=] {
        const auto own = shared;
        std::unique_lock lock(mutex, std::defer_lock);
        if (!wrong) lock.lock();
        put(*own, get(*own) + 1);  // payload
    };
    both(change, change);
}

void pointer(bool wrong) {
    static std::shared_ptr<int> shared = std::make_shared<int>(1);
    both(
        [=] {
            auto fresh = std::make_shared<int>(2);
            std::unique_lock lock(mutex, std::defer_lock);
            if (!wrong) lock.lock();
            shared.swap(fresh);  // pointer
        },
        [=] {
            std::unique_lock lock(mutex, std::defer_lock);
            if (!wrong) lock.lock();
            result = shared.get() != nullptr;  // pointer
        });
}

void growing(bool wrong) {
    static std::vector<int> values;
    values.reserve(100);
    both(
        [=] {
            std::unique_lock lock(mutex, std::defer_lock);
            if (!wrong) lock.lock();
            for (int i = 0; i < 20; ++i) values.push_back(i);  // growing
        },
        [=] {
            std::unique_lock lock(mutex, std::defer_lock);
            if (!wrong) lock.lock();
            result = static_cast<int>(values.size());  // growing
        });
}

void text(bool wrong) {
    static std::string said = "abc";
    both(
        [=] {
            std::unique_lock lock(mutex, std::defer_lock);
            if (!wrong) lock.lock();
            said[1] = 'x';  // text
        },
        [=] {
            std::unique_lock lock(mutex, std::defer_lock);
            if (!wrong) lock.lock();
            result = get(said[1]);  // text
        });
}

void phases(bool wrong) {
    static std::barrier all(2);
    static int slots[2];
    const auto work = [=](int own) {
        return [=] {
            put(slots[own], own + 1);  // phases
            if (!wrong) all.arrive_and_wait();
            if (get(slots[1 - own]) == 9) std::puts("?");  // phases
        };
    };
    both(work(0), work(1));
}

void histogram(bool wrong) {
    static int buckets[4];
    static std::atomic<int> buckets_atomically[4];
    const auto add = [=] {
        for (int i = 0; i < 8; ++i)
            if (wrong)
                put(buckets[i % 4], get(buckets[i % 4]) + 1);  // histogram
            else
                buckets_atomically[i % 4].fetch_add(1, std::memory_order_relaxed);
    };
    both(add, add);
}

void stack(bool wrong) {
    struct Node {
        Node* next = nullptr;
        int value = 1;
    };
    static std::atomic<Node*> top;
    both(
        [=] {
            auto* const node = new Node;
            put(node->value, 3);  // stack
            top.exchange(node, wrong ? std::memory_order_relaxed : std::memory_order_release);
        },
        [] {
            Node* node;
            while (!(node = top.load(std::memory_order_acquire))) {
            }
            result = get(node->value);  // stack
        });
}

void promise(bool wrong) {
    std::promise<void> done;
    auto future = done.get_future();
    both(
        [&] {
            if (!wrong) put(data, 1);
            done.set_value();
            if (wrong) put(data, 1);  // promise
        },
        [&] {
            future.wait();
            result = get(data);  // promise
        });
}

void semaphore(bool wrong) {
    static std::binary_semaphore there(0);
    both(
        [=] {
            if (!wrong) put(data, 1);
            there.release();
            if (wrong) put(data, 1);  // semaphore
        },
        [] {
            there.acquire();
            result = get(data);  // semaphore
        });
}

void spin_lock(bool wrong) {
    static std::atomic<bool> locked;
    const auto change = [=] {
        while (locked.exchange(true, std::memory_order_acquire)) {
        }
        put(data, get(data) + 1);  // spin_lock
        locked.store(false, wrong ? std::memory_order_relaxed : std::memory_order_release);
    };
    both(change, change);
}

void loop_variable(bool wrong) {
    std::vector<std::thread> threads;
    int number = 0;
    while (number < 2) {
        const int own = number;
        threads.emplace_back([&number, own, wrong] {
            int seen = own;
            if (wrong) seen = get(number);  // loop_variable
            if (seen == 9) std::puts("?");
        });
        put(number, own + 1);  // loop_variable
    }
    for (std::thread& thread : threads) thread.join();
}

void copied(bool wrong) {
    static char block[256], there[256];
    both(
        [=] {
            std::unique_lock lock(mutex, std::defer_lock);
            if (!wrong) lock.lock();
            std::memset(block, 1, sizeof block);  // copied
        },
        [=] {
            std::unique_lock lock(mutex, std::defer_lock);
            if (!wrong) lock.lock();
            std::memcpy(there, block, sizeof block);  // copied
            put(result, int{there[3]});
        });
}

// Bytes beside each other are nobody else's business, however the line goes to and fro.
void neighbours(bool) {
    static char bytes[2];
    both(
        [] {
            for (int i = 0; i < 50; ++i) put(bytes[0], static_cast<char>(i));
        },
        [] {
            for (int i = 0; i < 50; ++i) put(bytes[1], static_cast<char>(i));
        });
}

const case_list cases = {
    {"counter", counter},
    {"stop_flag", stop_flag},
    {"publish", publish},
    {"consume", consume},
    {"late_fence", late_fence},
    {"double_checked", double_checked},
    {"lazy", lazy},
    {"queue", queue},
    {"wrong_mutex", wrong_mutex},
    {"unlocked_read", unlocked_read},
    {"read_lock", read_lock},
    {"predicate", predicate},
    {"no_join", no_join},
    {"mixed_sizes", mixed_sizes},
    {"bit_fields", bit_fields},
    {"payload", payload},
    {"pointer", pointer},
    {"growing", growing},
    {"text", text},
    {"phases", phases},
    {"histogram", histogram},
    {"stack", stack},
    {"promise", promise},
    {"semaphore", semaphore},
    {"spin_lock", spin_lock},
    {"loop_variable", loop_variable},
    {"copied", copied},
    {"neighbours", neighbours},
};

}  // namespace

int main(int count, char** with) { return run_case(cases, count, with); }
