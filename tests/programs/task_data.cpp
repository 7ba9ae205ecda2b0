// Data that the stages of a farm hand each other, homed as told: task_data POLICY [MUTANT]. POLICY is hashed, fixed or
// none; MUTANT is kept (written back and not dropped), unwritten (dropped and not written back) or forgotten (neither).
// Every stage reads what the one before it wrote, and writes; memory is used again and again. Prints "ok", the homes
// that the data had, and how many words were wrong.
#include <array>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <croft/memory/task_allocator.hpp>
#include <croft/pattern/farm.hpp>
#include <croft/pattern/run.hpp>
#include <croft/port/port.hpp>

namespace {

constexpr std::size_t words = 1100;  // a page and a bit
constexpr std::uint32_t count = 100;
constexpr std::size_t workers = 3;

using block = std::array<std::uint32_t, words>;

std::string mutant;

// A message that holds data beside other things.
struct job {
    std::uint32_t number = 0;
    croft::task_ptr<block> data;

    void hand_over(int worker) {
        if (mutant.empty()) return data.hand_over(worker);
        if (!data || mutant == "forgotten") return;
        const auto* const bytes = reinterpret_cast<const unsigned char*>(data.get());
        for (std::size_t at = 0; at < sizeof(block); at += croft::port::cache_line)
            mutant == "kept" ? croft::port::clean_line(bytes + at) : croft::port::drop_line(bytes + at);
    }
};

struct tally {
    unsigned wrong = 0;
    std::set<int> homes;

    void collect(job it) {
        for (std::size_t i = 0; i < words; ++i) wrong += (*it.data)[i] != 3 * (it.number + i) + 1;
        homes.insert(it.data.home());
    }
    int report() const {
        std::printf("%s, %u words are wrong, homes", wrong ? "FAILED" : "ok", wrong);
        for (const int home : homes) std::printf(" %d", home);
        std::printf("\n");
        return wrong != 0;
    }
};

job made(const croft::task_allocator& tasks, std::uint32_t number) {
    job it{number, tasks.make<block>()};
    for (std::size_t i = 0; i < words; ++i) (*it.data)[i] = static_cast<std::uint32_t>(number + i);
    return it;
}
void work_on(block& data) {
    for (std::uint32_t& word : data) word = 3 * word + 1;
}

// A thread for each role.
template <class Source, class Worker, class Sink>
void run_farm(Source source, Worker worker, Sink sink, std::size_t slots = 2) {
    croft::run(source, croft::farm(worker, {.workers = workers, .slots = slots}), sink,
               {.place = croft::placements::thread_a_role{.pinned = true}});
}
int by_value(const croft::task_allocator& tasks) {
    tally found;
    std::uint32_t next = 0;
    run_farm([&]() -> std::optional<job> { return next < count ? std::optional(made(tasks, next++)) : std::nullopt; },
             [](job it) {
                 work_on(*it.data);
                 return it;
             },
             [&](job it) { found.collect(std::move(it)); });
    return found.report();
}
// Data that a stage leaves in a slot go back with it. A worker makes data of its own.
int in_place(const croft::task_allocator& tasks) {
    tally found;
    std::uint32_t next = 0;
    run_farm(
        [&](job& slot) {
            if (next == count) return false;
            if (!slot.data) slot.data = tasks.make<block>();
            slot.number = next++;
            for (std::size_t i = 0; i < words; ++i) (*slot.data)[i] = static_cast<std::uint32_t>(slot.number + i);
            return true;
        },
        [&tasks](const job& task, job& result) {
            if (!result.data) result.data = tasks.make<block>();
            result.number = task.number;
            *result.data = *task.data;
            work_on(*result.data);
        },
        [&](const job& result) {
            for (std::size_t i = 0; i < words; ++i) found.wrong += (*result.data)[i] != 3 * (result.number + i) + 1;
            found.homes.insert(result.data.home());
        },
        1);
    return found.report();
}
// Made before anybody knows which worker gets it, by the thread that will emit it.
int made_before(const croft::task_allocator& tasks) {
    tally found;
    std::array<job, 8> jobs;
    for (std::uint32_t i = 0; i < jobs.size(); ++i) jobs[i] = made(tasks, i);
    std::size_t next = 0;
    run_farm(
        [&]() -> std::optional<job> {
            return next < jobs.size() ? std::optional(std::move(jobs[next++])) : std::nullopt;
        },
        [](job it) {
            work_on(*it.data);
            return it;
        },
        [&](job it) { found.collect(std::move(it)); });
    return found.report();
}

}  // namespace

int main(int argc, char** argv) {
    const std::string policy = argc > 1 ? argv[1] : "hashed";
    mutant = argc > 2 ? argv[2] : "";
    const croft::task_allocator tasks(policy == "none"    ? croft::homes::of_data::none
                                      : policy == "fixed" ? croft::homes::of_data::fixed
                                                          : croft::homes::of_data::hashed);
    croft::task_ptr<block> nothing = tasks.make<block>();
    nothing.reset();
    if (nothing.get()) return 1;
    nothing.hand_over(1);  // there is nothing to be flushed or moved
    const int wrong = by_value(tasks) + in_place(tasks) + made_before(tasks);
    return wrong != 0;
}
