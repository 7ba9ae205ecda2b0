// A range that throws while it is sent: all before that have been sent, and the channel goes on with what comes next.

#include <croft/channel/channel.hpp>

#include <doctest/doctest.h>

#include <iterator>
#include <stdexcept>

#include "policies_under_test.hpp"
#include "throwing_range.hpp"

TEST_CASE_TEMPLATE("of a range that throws, all before that are sent", Policies, packed_policies, turns_policies,
                   paper_policies, batched_policies) {
    for (const std::size_t degree : {1, 7, 64})
        for (int bad = 0; bad < static_cast<int>(degree); ++bad)
            for (const bool when_come_to : {false, true}) {
                CAPTURE(degree);
                CAPTURE(bad);
                croft::channel<int, Policies> channel(degree);
                CHECK_THROWS_AS(channel.send(throwing_range<int>(bad, when_come_to), std::default_sentinel),
                                std::runtime_error);
                for (int n = 0; n < bad; ++n) CHECK(channel.try_receive() == n);
                CHECK_FALSE(channel.try_receive().has_value());
                channel.send(-1);
                CHECK(channel.try_receive() == -1);
            }
}
