#include <ff/ff.hpp>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "../stream_peers.hpp"

namespace bench {
namespace {

// Items travel as pointers, of which none may be null.
void* as_pointer(std::uint64_t number) { return reinterpret_cast<void*>(number + 1); }
std::uint64_t as_number(void* item) { return reinterpret_cast<std::uintptr_t>(item) - 1; }

struct emitter : ff::ff_node {
    int items;
    explicit emitter(int count) : items(count) {}
    void* svc(void*) override {
        for (int i = 0; i < items; ++i) ff_send_out(as_pointer(static_cast<std::uint64_t>(i)));
        return EOS;
    }
};
struct worker : ff::ff_node {
    const stream_work& work;
    explicit worker(const stream_work& of) : work(of) {}
    void* svc(void* item) override { return as_pointer(work.of(as_number(item), 0)); }
};
// Without a collector each worker keeps the sum of its own results.
struct summing_worker : ff::ff_node {
    const stream_work& work;
    std::uint64_t sum = 0;
    explicit summing_worker(const stream_work& of) : work(of) {}
    void* svc(void* item) override {
        sum += work.of(as_number(item), 0);
        return GO_ON;
    }
};
struct collector : ff::ff_node {
    stream_work& work;
    explicit collector(stream_work& of) : work(of) {}
    void* svc(void* item) override {
        work.take(as_number(item));
        return GO_ON;
    }
};

template <class Worker>
std::vector<std::unique_ptr<ff::ff_node>> workers(const stream_work& work, int threads) {
    std::vector<std::unique_ptr<ff::ff_node>> made;
    for (int i = 0; i < threads; ++i) made.push_back(std::make_unique<Worker>(work));
    return made;
}
void with_collector(stream_work& work, int threads) {
    ff::ff_Farm<> farm(workers<worker>(work, threads), std::make_unique<emitter>(work.items),
                       std::make_unique<collector>(work));
    farm.run_and_wait_end();
}
void without_collector(stream_work& work, int threads) {
    ff::ff_Farm<> farm(workers<summing_worker>(work, threads), std::make_unique<emitter>(work.items));
    farm.remove_collector();
    farm.run_and_wait_end();
    for (ff::ff_node* const each : farm.getWorkers()) work.sum += static_cast<summing_worker*>(each)->sum;
}

// Each role is a thread, that spins.
const listed<stream_peer> farm{{.name = "FastFlow farm", .farm = with_collector, .shares_cores = false}};
const listed<stream_peer> without{
    {.name = "FastFlow farm without collector", .farm = without_collector, .shares_cores = false}};

}  // namespace
}  // namespace bench
