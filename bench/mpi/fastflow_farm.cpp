// The farm by FastFlow's distributed run-time: a source, a worker in each process, the source's own among them, and a
// sink beside the source. One farm a run, since its groups are made once in a process:
//
//     bench_fastflow --DFF_Config=groups.json [--DFF_GName=G0] <workers> <tasks> <steps of a task>
//
// The groups are named G0, G1 and so on; G0 has the source. It prints nanoseconds a task, from the source's first to
// the sink's last, and the sum of the results.

#include <ff/dff.hpp>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "task.hpp"

namespace {

using clock_type = std::chrono::steady_clock;

struct task {
    std::uint32_t number;
    std::uint32_t steps;  // a result: what they come to
    template <class Archive>
    void serialize(Archive& archive) {
        archive(number, steps);
    }
};

struct source : ff::ff_monode_t<task> {
    std::uint32_t count, steps;
    clock_type::time_point began;
    source(std::uint32_t tasks, std::uint32_t each) : count(tasks), steps(each) {}
    task* svc(task*) override {
        began = clock_type::now();
        for (std::uint32_t i = 0; i < count; ++i) ff_send_out(new task{i, steps});
        return EOS;
    }
};
struct worker : ff::ff_minode_t<task> {
    task* svc(task* one) override {
        one->steps = bench::steps_of(one->number, one->steps);
        return one;
    }
};
struct sink : ff::ff_minode_t<task> {
    std::uint64_t sum = 0;
    std::uint32_t taken = 0;
    clock_type::time_point last;
    task* svc(task* one) override {
        sum += one->steps;
        ++taken;
        delete one;
        last = clock_type::now();
        return GO_ON;
    }
};

}  // namespace

int main(int argc, char** argv) {
    if (ff::DFF_Init(argc, argv) != 0 || argc < 4) return 1;
    const int workers = std::atoi(argv[1]);
    source from(static_cast<std::uint32_t>(std::atol(argv[2])), static_cast<std::uint32_t>(std::atol(argv[3])));
    sink to;
    std::vector<std::unique_ptr<worker>> all;
    std::vector<ff::ff_node*> first{&from}, second;
    for (int i = 0; i < workers; ++i) second.push_back(all.emplace_back(std::make_unique<worker>()).get());
    ff::ff_a2a farm;
    farm.add_firstset(first);
    farm.add_secondset(second);
    ff::ff_pipeline pipeline;
    pipeline.add_stage(&farm);
    pipeline.add_stage(&to);
    for (int i = 0; i < workers; ++i) {
        auto group = ff::createGroup("G" + std::to_string(i));
        group << second[static_cast<std::size_t>(i)];
        if (i == 0) group << &from, group << &to;
    }
    if (pipeline.run_and_wait_end() < 0) return 1;
    if (ff::DFF_getMyGroup() != "G0") return 0;
    if (to.taken != from.count) return 1;
    const double took = std::chrono::duration<double, std::nano>(to.last - from.began).count();
    std::printf("\na task takes %.1f ns, and the sum is %llu\n", took / to.taken,
                static_cast<unsigned long long>(to.sum));
    return 0;
}
