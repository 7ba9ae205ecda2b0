#pragma once
// The papers' two map programs share a stream of matrices. They make a vector of each, row by row, with a constant
// vector. They differ in the product (a Product), and in the run-times that they compare.
//
// A Product<Element> is made for a size, and has
//     void rows(const Element* matrix, Element* entries, croft::slice which, accumulation how) const
// where which[0] goes to entries[0].

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <croft/pattern/map.hpp>
#include <croft/pattern/run.hpp>

#include "matrix_set.hpp"
#include "options.hpp"
#include "padding.hpp"
#include "product_collector.hpp"
#include "service_time.hpp"

namespace programs {

// Slots of a channel: FastFlow's default, and the run-time's own.
inline constexpr std::size_t fastflow_slots = 512, usual_slots = croft::port::waits_on_lines ? 2 : 64;

struct product_settings {
    const char* program = "";
    std::size_t size = 56;
    std::string type = "int";
    std::string runtime;
    std::size_t workers = 2;
    std::size_t slots = 0;
    std::size_t count = 1000;
    std::string collector = "passes";
    bool stable = false;
    bool sequential = false;
    bool check = false;
};

// One element of a matrix's product with a vector. Its padding (padding.hpp) makes the sequential time on a simulated
// TILEPro64 that of paper 000, table 7.
//
// Where it is summed up. In memory, as in paper 001's program (docs/evidence/tilepro64.md, 5). For all that the
// compiler knows, an entry of the result may be an operand, so each product's sum is stored.
enum class accumulation { in_register, in_memory };

template <class Element>
void row_product(Element& entry, const Element* row, const Element* x, std::size_t size, accumulation how) {
    if (how == accumulation::in_register) {
        Element sum{};
        for (std::size_t i = 0; i < size; ++i) sum += row[i] * x[i];
        entry = sum;
    } else {
        entry = Element{};
        for (std::size_t i = 0; i < size; ++i) entry += row[i] * x[i];
    }
    pad_long(std::is_integral_v<Element> ? size / 9 : size * 9 / 4);
}
// A constant vector.
template <class Element>
std::vector<Element> small_numbers(std::size_t size, std::size_t first) {
    std::vector<Element> numbers;
    for (std::size_t i = 0; i < size; ++i) numbers.push_back(static_cast<Element>((first + i) * 7 % 19));
    return numbers;
}

template <class Element, class Product>
class map_of_products {
public:
    explicit map_of_products(const product_settings& asked)
        : asked_(asked),
          is_published_(asked.sequential || asked.runtime != "croft"),
          product_(asked.size),
          matrices_(asked.size, asked.sequential ? 1 : asked.workers, fewest_matrices,
                    is_published_ ? vector_layout::as_published : vector_layout::lines_of_their_own,
                    asked.check ? 0 : matrix_set<Element>::usual_bytes),
          collector_(matrices_, asked.size, asked.sequential ? 1 : asked.workers, asked.collector == "reads"),
          expected_(asked.size) {}

    const matrix_set<Element>& matrices() const { return matrices_; }

    void run_sequentially() {
        service_time time(asked_.count, 1, 1, asked_.stable);
        std::uint32_t number = 0;
        for (; number < asked_.count && !time.settled(); ++number) {
            Element* const matrix = collector_.next(number);
            Element* const result = matrices_.result_of(matrix, 0, 0);
            product_.rows(matrix, result, {0, asked_.size}, sums_up());
            collector_.take(result, 0);
            collect(number, time);
        }
        finish(number, time);
    }

    // With channels of so many slots, if none were asked for. With the run-time's own channels workers return nothing,
    // for who has the matrix knows where its vector is.
    template <class Policies>
    void run(croft::distribution how, std::size_t slots) {
        constexpr bool in_place = std::is_same_v<Policies, croft::policies>;
        // Fewer than there are matrices: whoever emits and collects in turn would wait for himself.
        slots_ = std::min(asked_.slots ? asked_.slots : slots, matrices_.count() - 1);
        alignas(croft::port::cache_line) service_time time(asked_.count, matrices_.count(), 1, asked_.stable);
        std::uint32_t number = 0;
        croft::stopper stop;
        croft::run<Policies>(
            [&]() -> std::optional<Element*> {
                if (number == asked_.count) return std::nullopt;
                return collector_.next(number++);
            },
            croft::map(worker<in_place>{&product_, &matrices_, asked_.size, sums_up()},
                       {.workers = asked_.workers, .distribution = how, .slots = slots_}),
            collects<in_place>([&](Element* entries, std::size_t worker) { collector_.take(entries, worker); },
                               [&](std::size_t item) {
                                   if constexpr (in_place) collector_.take_all(item);
                                   collect(static_cast<std::uint32_t>(item), time);
                                   if (time.settled()) stop.stop();
                               }),
            {.place = croft::placements::thread_a_role{.pinned = true}, .stops = &stop});
        finish(number, time);
    }

private:
    // Knows its rows after its first item.
    template <bool InPlace>
    struct worker {
        const Product* product;
        const matrix_set<Element>* matrices;
        std::size_t size;
        accumulation how;
        croft::slice rows = {0, 0};
        std::size_t part = 0;

        std::conditional_t<InPlace, void, Element*> operator()(Element* matrix, croft::share mine) {
            if (rows.end == 0) {
                rows = mine.of(size);
                part = mine.first;
            }
            Element* const entries = matrices->result_of(matrix, part, rows.begin);
            product->rows(matrix, entries, rows, how);
            if constexpr (!InPlace) return entries;
        }
    };

    // The map calls it: in place, once an item is complete; else for each part.
    template <bool InPlace, class Take, class Complete>
    static auto collects(Take take, Complete complete) {
        if constexpr (InPlace)
            return [complete](croft::part_done, croft::map_part part) { complete(part.item); };
        else
            return [take, complete](Element* entries, croft::map_part part) {
                take(entries, part.worker);
                if (part.last) complete(part.item);
            };
    }

    accumulation sums_up() const { return is_published_ ? accumulation::in_memory : accumulation::in_register; }
    void collect(std::uint32_t number, service_time& time) {
        if (asked_.check)
            product_.rows(matrices_.matrix(number % matrices_.count()), expected_.data(), {0, asked_.size},
                          accumulation::in_register);
        collector_.complete(number, asked_.check ? expected_.data() : nullptr);
        time.result();
    }
    void finish(std::uint32_t count, const service_time& time) {
        collector_.finish(count, asked_.check);
        std::printf("%s runtime=%s size=%zu type=%s workers=%zu collector=%s slots=%zu count=%u ", asked_.program,
                    asked_.sequential ? "sequential" : asked_.runtime.c_str(), asked_.size, asked_.type.c_str(),
                    asked_.sequential ? 0 : asked_.workers, asked_.collector.c_str(), slots_,
                    static_cast<unsigned>(count));
        std::printf("service_time_ns=%.1f service_time_cycles=%.1f\n", time.nanoseconds(), time.cycles());
    }

    const product_settings& asked_;
    const bool is_published_;  // a program of the papers', not croft's own
    static constexpr std::size_t fewest_matrices = 8;
    Product product_;
    std::size_t slots_ = 0;
    matrix_set<Element> matrices_;
    product_collector<Element> collector_;
    std::vector<Element> expected_;
};

// The command line; false if the user only wanted help.
inline bool parse_products(int argc, char** argv, const char* purpose, const std::vector<std::string>& sizes,
                           const std::vector<std::string>& runtimes, product_settings& asked) {
    std::string size = std::to_string(asked.size);
    asked.runtime = runtimes.front();
    options line(asked.program, purpose);
    line.choice("--size", size, sizes, "rows and columns of a matrix");
    line.choice("--type", asked.type, {"int", "float"}, "of its elements");
    line.choice("--runtime", asked.runtime, runtimes, "which channels, and how matrices are distributed");
    line.number<std::size_t>("--workers", asked.workers, 0, 4096, "of the map; 0 is --sequential");
    line.number<std::size_t>("--slots", asked.slots, 0, 1 << 20, "of each channel; 0: the run-time's usual number");
    line.number<std::size_t>("--count", asked.count, 1, 100'000'000, "matrices in the stream");
    line.flag("--stable", asked.stable, "end it when the service time is stable to 1%, not before 300 matrices");
    line.choice("--collector", asked.collector, {"passes", "reads"}, "whether it reads the vectors that it gets");
    line.flag("--sequential", asked.sequential, "the same computation in one thread");
    line.flag("--check", asked.check, "compare with a sequential computation");
    if (!line.parse(argc, argv)) return false;
    asked.size = std::stoul(size);
    asked.sequential = asked.sequential || asked.workers == 0;
    return true;
}

}  // namespace programs
