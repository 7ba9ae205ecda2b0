#include "../stream_peers.hpp"

namespace bench {
namespace {

// A task an item; the results are summed where they are made.
void farm(stream_work& work, int threads) {
    std::uint64_t sum = 0;
#pragma omp parallel num_threads(threads) reduction(task, + : sum)
    {
#pragma omp single
        for (int i = 0; i < work.items; ++i) {
#pragma omp task firstprivate(i) shared(work) in_reduction(+ : sum)
            sum += work.of(static_cast<std::uint64_t>(i), 0);
        }
    }
    work.sum += sum;
}
const listed<stream_peer> openmp{{.name = "OpenMP tasks", .farm = farm}};

}  // namespace
}  // namespace bench
