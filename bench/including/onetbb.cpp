#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <cstdio>
#include <vector>

int main() {
    int next = 0;
    long sum = 0;
    tbb::parallel_pipeline(
        16, tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& control) {
                if (next < 1000) return next++;
                control.stop();
                return 0;
            }) & tbb::make_filter<int, int>(tbb::filter_mode::parallel, [](int task) {
                return task * task;
            }) & tbb::make_filter<int, void>(tbb::filter_mode::serial_in_order, [&](int result) { sum += result; }));
    std::vector<int> squares(1000);
    tbb::parallel_for(0, 1000, [&](int i) { squares[static_cast<std::size_t>(i)] = i * i; });
    std::printf("%ld %d\n", sum, squares[999]);
}
