// The order that futures and shared_ptr make, and memory that goes from thread to thread. Beside each is a twin in
// which nothing does: library_results CASE wrong|right, marked as library_synchronisation.cpp.

#include <atomic>
#include <cstdio>
#include <future>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "race_cases.hpp"

namespace {

using namespace race_cases;

std::mutex mutex;
int data, result;

// ---- futures ----

void promise(bool wrong) {
    std::promise<int*> made;
    std::thread worker([&] {
        static int number;
        if (!wrong) put(number, 1);
        made.set_value(&number);
        if (wrong) put(number, 1);  // promise
    });
    result = get(*made.get_future().get());  // promise
    worker.join();
}

void async(bool wrong) {
    std::future<void> done = std::async(std::launch::async, [] { put(data, 1); });  // async
    if (wrong) result = get(data);                                                  // async
    done.get();
    result = get(data);
}

void packaged_task(bool wrong) {
    std::packaged_task<int()> task([] {
        put(data, 3);  // packaged_task
        return 3;
    });
    std::future<int> done = task.get_future();
    std::thread worker(std::move(task));
    if (!wrong) done.wait();
    result = get(data);  // packaged_task
    worker.join();
}

void shared_future(bool wrong) {
    static int number = 1;
    std::promise<int&> made;
    const std::shared_future<int&> all = made.get_future().share();
    const auto use = [=] {
        int& mine = all.get();
        if (wrong)
            put(mine, 2);  // shared_future
        else if (get(mine) != 2)
            std::puts("?");
    };
    std::thread one(use), other(use);
    put(number, 2);
    made.set_value(number);
    one.join();
    other.join();
}

struct failure : std::runtime_error {
    using std::runtime_error::runtime_error;
    int seen = 0;
};

void exception(bool wrong) {
    std::promise<void> made;
    const std::shared_future<void> all = made.get_future().share();
    const auto use = [=] {
        try {
            all.get();
        } catch (failure& error) {
            meet();  // with the one object: a count of who has it orders those that have had it
            if (wrong)
                put(error.seen, get(error.seen) + 1);  // exception
            else
                (void)std::string(error.what());
        }
    };
    std::thread one(use), other(use);
    made.set_exception(std::make_exception_ptr(failure("it did not work")));
    one.join();
    other.join();
}

// When the value is there, a thread has done, too, what it does behind set_value_at_thread_exit().
void value_at_thread_exit(bool wrong) {
    static moment used;
    std::promise<void> over;
    std::future<void> is_over = over.get_future();
    std::thread([wrong, over = std::move(over)]() mutable {
        if (wrong) {
            over.set_value();
            used.wait();  // the promise's end would order what comes before it
        } else {
            over.set_value_at_thread_exit();
        }
        put(data, 1);  // value_at_thread_exit
    }).detach();
    is_over.get();
    result = get(data);  // value_at_thread_exit
    used.has_come();
}

struct at_exit {
    bool locks = true, used = false;
    ~at_exit() {
        if (!used) return;
        std::unique_lock lock(mutex, std::defer_lock);
        if (locks)
            lock.lock();
        else
            meet();
        put(data, get(data) + 1);  // thread_local_destructor
    }
};
thread_local at_exit mine;

void thread_local_destructor(bool wrong) {
    const auto use = [=] {
        mine.used = true;
        mine.locks = !wrong;
    };
    both(use, use);
    result = get(data);
}

// ---- shared_ptr ----

struct counted {
    int value = 1;
    ~counted() { put(value, 0); }
};

// Whoever has the last of several copies destroys what all have used.
void last_of_shared_ptr(bool) {
    for (int i = 0; i < 5; ++i) {
        auto all = std::make_shared<counted>();
        const auto use = [copy = all]() mutable {
            for (int j = 0; j < 5; ++j) {
                const std::shared_ptr<counted> one_more = copy;
                (void)get(one_more->value);
            }
            copy.reset();
        };
        std::thread one(use), other(std::move(use));
        all.reset();
        one.join();
        other.join();
    }
}

std::shared_ptr<counted> slot;

// Copies are counted atomically; a shared_ptr itself is data as any other.
void shared_ptr(bool wrong) {
    slot = std::make_shared<counted>();
    const auto kept = slot, next = std::make_shared<counted>();
    both(
        [=] {
            std::unique_lock lock(mutex, std::defer_lock);
            if (!wrong) lock.lock();
            slot = next;  // shared_ptr
        },
        [=] {
            std::unique_lock lock(mutex, std::defer_lock);
            if (!wrong) lock.lock();
            const std::shared_ptr<counted> copy = slot;  // shared_ptr
            (void)get(copy->value);
        });
}

// libc++ has no std::atomic<std::shared_ptr>, but the functions that came before it.
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
void atomic_shared_ptr(bool wrong) {
    slot = std::make_shared<counted>();
    const auto kept = slot, next = std::make_shared<counted>();
    both(
        [=] {
            if (wrong)
                slot = next;  // atomic_shared_ptr
            else
                std::atomic_store(&slot, next);
        },
        [=] {
            const std::shared_ptr<counted> copy = std::atomic_load(&slot);  // atomic_shared_ptr
            (void)get(copy->value);
        });
}

void weak_ptr(bool wrong) {
    slot = std::make_shared<counted>();
    const std::shared_ptr<counted> kept = wrong ? slot : nullptr;
    const std::weak_ptr<counted> watched = slot;
    both([] { slot.reset(); },  // weak_ptr
         [=] {
             for (int i = 0; i < 10; ++i) {
                 if (wrong) (void)std::weak_ptr<counted>(slot);  // weak_ptr
                 if (const auto locked = watched.lock()) (void)get(locked->value);
             }
         });
}

struct shares_itself : std::enable_shared_from_this<shares_itself> {
    int value = 1;
};

void from_this(bool wrong) {
    const auto object = std::make_shared<shares_itself>();
    const auto use = [=, plain = object.get()] {
        const auto own = plain->shared_from_this();
        meet();
        std::unique_lock lock(mutex, std::defer_lock);
        if (!wrong) lock.lock();
        put(own->value, get(own->value) + 1);  // from_this
    };
    both(use, use);
}

// ---- memory ----

// The other thread frees what one allocates, and either gets again what has been freed.
void memory(bool wrong) {
    static std::atomic<int*> here;
    both(
        [=] {
            for (int i = 0; i < 20; ++i) {
                int* const made = new int(i);
                while (here.load(std::memory_order_acquire)) {
                }
                here.store(made, std::memory_order_release);
                if (wrong && i == 19) put(*made, 1);  // memory
            }
        },
        [=] {
            for (int i = 0; i < 20; ++i) {
                int* got;
                while (!(got = here.load(std::memory_order_acquire))) {
                }
                result = get(*got);  // memory
                here.store(nullptr, std::memory_order_release);
                if (!wrong || i < 19) delete got;
            }
        });
}

// Both allocate and free without ever having met.
void allocator(bool wrong) {
    const auto use = [=] {
        std::vector<std::string> texts;
        for (int i = 0; i < 10; ++i) texts.push_back(std::string(10 * i, 'x'));
        std::unique_lock lock(mutex, std::defer_lock);
        if (!wrong) lock.lock();
        put(data, static_cast<int>(texts.size()));  // allocator
    };
    both(use, use);
}

const case_list cases = {
    {"promise", promise},
    {"async", async},
    {"packaged_task", packaged_task},
    {"shared_future", shared_future},
    {"exception", exception},
    {"value_at_thread_exit", value_at_thread_exit},
    {"thread_local_destructor", thread_local_destructor},
    {"last_of_shared_ptr", last_of_shared_ptr},
    {"shared_ptr", shared_ptr},
    {"atomic_shared_ptr", atomic_shared_ptr},
    {"weak_ptr", weak_ptr},
    {"from_this", from_this},
    {"memory", memory},
    {"allocator", allocator},
};

}  // namespace

int main(int count, char** with) { return run_case(cases, count, with); }
