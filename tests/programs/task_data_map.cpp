// Data that a map scatters and its workers hand to the collector, homed as told: task_data_map POLICY, as task_data.
#include <array>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>

#include <croft/memory/task_allocator.hpp>
#include <croft/pattern/map.hpp>
#include <croft/pattern/run.hpp>

namespace {

constexpr std::size_t words = 1200, workers = 4;
constexpr std::uint32_t count = 40;

struct block {
    std::uint32_t first = 0, size = 0;
    std::array<std::uint32_t, words> values;
};
using data = croft::task_ptr<block>;

croft::homes::of_data home_of(const std::string& name) {
    if (name == "none") return croft::homes::of_data::none;
    return name == "fixed" ? croft::homes::of_data::fixed : croft::homes::of_data::hashed;
}

}  // namespace

int main(int argc, char** argv) {
    const croft::task_allocator tasks(home_of(argc > 1 ? argv[1] : "hashed"));
    std::uint32_t next = 0;
    std::uint64_t sum = 0, expected = 0;
    croft::run(
        [&]() -> std::optional<data> {
            if (next == count) return std::nullopt;
            data made = tasks.make<block>();
            made->first = 0;
            made->size = words;
            for (std::uint32_t i = 0; i < words; ++i) made->values[i] = next + i;
            for (std::uint32_t i = 0; i < words; ++i) expected += 3 * (next + i) + 1;
            ++next;
            return made;
        },
        croft::map(
            [](data mine) {
                for (std::uint32_t i = 0; i < mine->size; ++i) mine->values[i] = 3 * mine->values[i] + 1;
                return mine;
            },
            {.workers = workers},
            [&tasks](data& item, croft::share part) {
                const croft::slice mine = part.of(item->size);
                data made = tasks.make<block>();
                made->size = static_cast<std::uint32_t>(mine.size());
                for (std::size_t i = 0; i < mine.size(); ++i) made->values[i] = item->values[mine.begin + i];
                return made;
            }),
        [&](data part, croft::map_part) {
            for (std::uint32_t i = 0; i < part->size; ++i) sum += part->values[i];
        });
    std::printf("%s\n", sum == expected ? "ok" : "FAILED");
    return sum != expected;
}
