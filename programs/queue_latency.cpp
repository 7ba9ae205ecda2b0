// Average latency of a message against the size of the buffer (paper 003, figure 4). It is measured for the
// FastFlow-style bounded and unbounded queues and for croft's channel. One sender streams pointers to one receiver as
// fast as both can. The latency is the time of the whole stream divided by its messages, as in the paper: the cost of a
// message to a stream.
//
// Prints, for each size: queue_latency queue=bounded size=64 count=100000 cycles=12.3 ns=4.7
// `cycles` are those of the machine's counter (on a simulated machine its clock).

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <croft/channel/channel.hpp>
#include <croft/paper/channel/null_slot_queue.hpp>
#include <croft/paper/channel/unbounded_queue.hpp>
#include <croft/port/port.hpp>

#include "common/channels.hpp"
#include "common/moment.hpp"
#include "common/options.hpp"

namespace {

using namespace programs;

struct settings {
    std::string queue = "all";
    std::uint64_t count = 10'000;
    std::uint32_t smallest = 2, largest = 4096;
    std::uint32_t repeats = 5;
};

struct cost {
    double cycles, nanoseconds;
};

template <class Queue>
cost measure_once(std::uint32_t size, std::uint64_t count) {
    Queue queue(size);
    std::uint64_t pointee = 0;
    std::atomic<bool> started{false};
    const std::vector<int> cores = croft::port::allowed_cores();
    std::uint64_t received = 0;
    moment end;
    std::thread receiver([&] {
        if (cores.size() > 1) croft::port::pin_this_thread(cores[1]);
        started = true;
        while (queue.receive()) ++received;
        end = moment::now();
    });
    croft::port::affinity_guard unpin;
    if (!cores.empty()) croft::port::pin_this_thread(cores[0]);
    while (!started) croft::port::pause();
    const moment begin = moment::now();
    for (std::uint64_t i = 0; i < count; ++i) queue.send(&pointee);
    queue.close();
    receiver.join();
    if (received != count) throw std::runtime_error("a message was lost or repeated");
    const double messages = static_cast<double>(count);
    return {cycles(begin, end) / messages, nanoseconds(begin, end) / messages};
}

template <class Queue>
void measure(const settings& asked, const char* name) {
    if (asked.queue != "all" && asked.queue != name) return;
    for (std::uint32_t size = asked.smallest; size <= asked.largest; size *= 2) {
        std::vector<cost> found;
        for (std::uint32_t i = 0; i < asked.repeats; ++i) found.push_back(measure_once<Queue>(size, asked.count));
        const auto middle = found.begin() + static_cast<std::ptrdiff_t>(found.size() / 2);
        std::nth_element(found.begin(), middle, found.end(), [](auto& a, auto& b) { return a.cycles < b.cycles; });
        std::printf("queue_latency queue=%s size=%u count=%llu cycles=%.2f ns=%.2f\n", name, size,
                    static_cast<unsigned long long>(asked.count), middle->cycles, middle->nanoseconds);
    }
}

int body(int argc, char** argv) {
    settings asked;
    options line("queue_latency", "Measures what a message costs a stream, against the size of the buffer.");
    line.choice("--queue", asked.queue, {"all", "bounded", "unbounded", "channel", "packed"}, "which queue");
    line.number<std::uint64_t>("--count", asked.count, 1, 1'000'000'000, "messages of a stream");
    line.number<std::uint32_t>("--smallest", asked.smallest, 1, 1 << 24,
                               "the first size; each next one is twice as large");
    line.number<std::uint32_t>("--largest", asked.largest, 1, 1 << 24, "the last size");
    line.number<std::uint32_t>("--repeats", asked.repeats, 1, 1001,
                               "streams of each size, of which the median is taken");
    if (!line.parse(argc, argv)) return 0;

    using message = std::uint64_t*;
    measure<croft::null_slot_queue<message>>(asked, "bounded");
    measure<croft::unbounded_queue<message>>(asked, "unbounded");
    measure<croft::channel<message>>(asked, "channel");
    if (asked.queue != "all") measure<croft::channel<message, packed>>(asked, "packed");  // "channel" is it natively
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    return programs::run_program("queue_latency", [&] { return body(argc, argv); });
}
