// A range that throws while it is sent in frames: all before that have been sent.

#include <croft/mpi/frame_writer.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "../cpp/library/throwing_range.hpp"

namespace {

// Takes the frames of a frame writer.
struct frames {
    std::size_t frame_bytes() const { return 64; }
    std::byte* try_acquire() { return frame; }
    void publish(std::size_t bytes, std::uint32_t) { sent.insert(sent.end(), frame, frame + bytes); }
    alignas(64) std::byte frame[64];
    std::vector<std::byte> sent;
};

template <class T>
void check_writer() {
    for (int bad = 0; bad < 40; ++bad)
        for (const bool when_come_to : {false, true}) {
            frames failed, whole;
            croft::mpi::frame_writer<T, frames> writer(failed, std::chrono::nanoseconds(0)),
                expected(whole, std::chrono::nanoseconds(0));
            throwing_range<T> first(bad, when_come_to);
            CHECK_THROWS_AS(while (writer.has_room()) writer.write_some(first, std::default_sentinel),
                            std::runtime_error);
            for (int n = 0; n < bad && expected.has_room(); ++n) expected.write(throwing_range<T>::made(n));
            CHECK(failed.sent == whole.sent);
        }
}

}  // namespace

TEST_CASE_TEMPLATE("of a range that throws, all before that are in frames that have left", T, int, std::string) {
    check_writer<T>();
}
