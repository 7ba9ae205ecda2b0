// A farm that multiplies a stream of matrices by a fixed one, C = A x B (paper 003, V.C, figure 9). A host offloads
// each A to this co-processor and gets its C back. Or the farm runs stand-alone, on matrices of its own.
//
// Offloaded, A comes in a slot of the link and C is written into one. A policy homes them like the data of the
// stand-alone farm, and B too. Every worker reads the same B. Pointers travel, through queues as FastFlow's.
// Stand-alone, the emitter writes A. A message is as long as its matrix, or is a whole slot, whose rest holds nothing.
//
// Prints: accelerator mode=offloaded size=64 policy=hhn messages=exact workers=54 slots=2 items=300
//         service_time_ns=... service_time_cycles=...     (in one line; common/service_time.hpp tells what is measured,
//         and of the sequential program it is all of a task: make, multiply)

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>

#include <croft/memory/task_allocator.hpp>
#include <croft/pattern/host_link.hpp>

#include "common/matrix_product.hpp"
#include "common/options.hpp"
#include "common/pointer_farm.hpp"
#include "common/service_time.hpp"

namespace {

using namespace programs;

struct settings {
    std::string mode = "offloaded";
    std::string size = "64";
    std::string policy = "hhn";
    std::string messages = "exact";
    std::size_t workers = 4;
    std::size_t slots = 2;
    std::uint32_t items = 100;
    bool check = false;
};

constexpr std::uint32_t number_of_b = 7;
constexpr std::size_t slot_bytes = 65536;

template <std::size_t Size>
struct whole_slot : square_matrix<Size> {
    std::byte rest[slot_bytes - sizeof(square_matrix<Size>)];
};

template <std::size_t Size>
class accelerator {
    using matrix = square_matrix<Size>;
    using product = matrix_product<Size>;

    template <class Message>
    struct offloaded_job {
        croft::offloaded<Message> a;
        croft::returned<Message> c;
        void hand_over(int) {
            a.hand_over();
            c.hand_over();
        }
    };
    struct pair {
        matrix a, c;
    };
    struct own_job {
        std::uint32_t number = 0;
        croft::task_ptr<pair> data;
        void hand_over(int worker) { data.hand_over(worker); }
    };

public:
    explicit accelerator(const settings& asked)
        : asked_(asked),
          homes_(asked.policy == "nhn" ? croft::homes::of_data::none : croft::homes::of_data::hashed),
          tasks_(homes_),
          time_(asked.items, asked.mode == "sequential" ? 1 : asked.workers * (2 * asked.slots + 1),
                asked.mode == "sequential" ? 1 : asked.workers),
          b_owner_(tasks_.template make<matrix>()) {
        product::make_b(b_owner_->at, number_of_b);
        b_ = b_owner_.get();
        b_owner_.hand_over();  // from now on it is only read
    }

    void run() {
        if (asked_.mode == "sequential")
            run_sequentially();
        else if (asked_.mode == "alone")
            run_alone();
        else if (asked_.messages == "exact" || sizeof(matrix) == slot_bytes)
            run_offloaded<matrix>();
        else if constexpr (sizeof(matrix) < slot_bytes)
            run_offloaded<whole_slot<Size>>();
        std::printf("accelerator mode=%s size=%zu policy=%s messages=%s workers=%zu slots=%zu items=%u ",
                    asked_.mode.c_str(), Size, asked_.policy.c_str(), asked_.messages.c_str(),
                    asked_.mode == "sequential" ? 0 : asked_.workers, asked_.slots, static_cast<unsigned>(collected_));
        std::printf("service_time_ns=%.1f service_time_cycles=%.1f\n", time_.nanoseconds(), time_.cycles());
    }

private:
    [[gnu::noinline]] static void work(const matrix& a, const matrix& b, matrix& c) { multiply(a.at, b.at, c.at); }

    template <class Message>
    void run_offloaded() {
        using job = offloaded_job<Message>;
        croft::host_link<Message, Message> host({.homes = homes_});
        run_pointer_farm<croft::policies, job>(
            asked_.workers, asked_.slots,
            [&](job& it) {
                auto got = host.receive();
                if (got) it.a = std::move(*got);
                return got.has_value();
            },
            [&](job& it) {
                it.c = host.make();
                work(*it.a, *b_, *it.c);
                it.a.reset();
            },
            [&](job& it) {
                host.send(std::move(it.c));
                count();
            });
        host.close();
    }

    bool emit(own_job& it) {
        if (emitted_ == asked_.items) return false;
        it.number = emitted_++;
        it.data = tasks_.template make<pair>();
        product::make_a(it.data->a.at, it.number);
        return true;
    }
    void compute(own_job& it) { work(it.data->a, *b_, it.data->c); }
    void collect(own_job& it) {
        if (asked_.check && !product::is_product(it.data->c.at, it.number, number_of_b))
            throw std::runtime_error("product " + std::to_string(it.number) + " is not what it should be");
        it.data.reset();
        count();
    }
    void run_alone() {
        run_pointer_farm<croft::policies, own_job>(
            asked_.workers, asked_.slots, [this](own_job& it) { return emit(it); },
            [this](own_job& it) { compute(it); }, [this](own_job& it) { collect(it); });
        if (asked_.check) std::printf("check: %u products are those of a sequential computation\n", collected_);
    }
    void run_sequentially() {
        for (own_job it; emit(it); collect(it)) compute(it);
    }
    void count() {
        ++collected_;
        time_.result();
    }

    const settings& asked_;
    const croft::homes::of_data homes_;
    croft::task_allocator tasks_;
    alignas(croft::port::cache_line) std::uint32_t emitted_ = 0;
    alignas(croft::port::cache_line) std::uint32_t collected_ = 0;
    service_time time_;
    croft::task_ptr<matrix> b_owner_;
    const matrix* b_ = nullptr;
};

int body(int argc, char** argv) {
    settings asked;
    options line("accelerator", "Multiplies the matrices that a host offloads by a fixed one, with a farm.");
    line.choice("--mode", asked.mode, {"offloaded", "alone", "sequential"},
                "for a host, or with matrices of its own, by a farm or in one thread");
    line.choice("--size", asked.size, {"32", "64", "128"}, "rows and columns of a matrix of ints");
    line.choice("--policy", asked.policy, {"hhn", "nhn"}, "where the data are homed: hashed, or nowhere");
    line.choice("--messages", asked.messages, {"exact", "whole"}, "offloaded: as long as a matrix, or whole slots");
    line.number<std::size_t>("--workers", asked.workers, 1, 4096, "of the farm");
    line.number<std::size_t>("--slots", asked.slots, 1, 1024, "of each channel of the farm");
    line.number<std::uint32_t>("--items", asked.items, 1, 100'000'000,
                               "matrices in the stream; offloaded, how many the host is expected to send");
    line.flag("--check", asked.check, "unless offloaded: compare with a sequential computation");
    if (!line.parse(argc, argv)) return 0;
    if (asked.size == "32")
        accelerator<32>(asked).run();
    else if (asked.size == "64")
        accelerator<64>(asked).run();
    else
        accelerator<128>(asked).run();
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    return programs::run_program("accelerator", [&] { return body(argc, argv); });
}
