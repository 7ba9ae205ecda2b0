// The engine under every home, on a home of a third kind: it keeps one line and no directory, and nobody keeps copies.

#include "coherence/home_engine.hpp"

#include <doctest/doctest.h>

#include <deque>

#include "contract/unexpected.hpp"
#include "memory/address_space.hpp"

namespace croftsim {
namespace {

constexpr std::uint32_t home_node = 9, controller = 20;
constexpr std::uint64_t first = 0x100000, second = first + line_bytes;
constexpr HomeTimes times{.service = 4, .occupancy = 3, .occupancy_word = 2};

class RecordingPost final : public Post {
public:
    struct Sent {
        Message* message;
        std::uint64_t time;
    };
    RecordingPost() { memory_.map(first, AddressSpace::page_bytes, Permission::read | Permission::write); }

    void send(std::uint32_t, Message* message, std::uint64_t time) override { sent.push_back({message, time}); }
    void send_self(std::uint32_t node, Message* message, std::uint64_t time) override {
        message->destination = node;
        sent.push_back({message, time});
    }
    void expect_send(std::uint32_t, std::uint64_t) override {}
    MessagePool& pool() override { return pool_; }
    AddressSpace& memory() override { return memory_; }
    std::uint32_t home_of(std::uint64_t, std::uint32_t) const override { return home_node; }
    std::uint32_t controller_of(std::uint64_t) const override { return controller; }

    // The oldest message that has been sent.
    Sent next() {
        REQUIRE(!sent.empty());
        const Sent one = sent.front();
        sent.pop_front();
        return one;
    }
    std::deque<Sent> sent;

private:
    MessagePool pool_;
    AddressSpace memory_;
};

class OneLineHome final : public HomeEngine {
public:
    explicit OneLineHome(Post& post) : HomeEngine(home_node, times, port_, post, nullptr) {}
    Line line;
    bool is_full = false;     // no line is taken in
    std::uint32_t asked = 0;  // before a write is answered, so many acknowledge
    bool may_store = true;

private:
    void begin(Message* request, std::uint64_t start) override {
        line.address == request->line ? serve(request, start) : begin_fill(request, start + times_.service);
    }
    bool install(Message& request, Message& arrival) override {
        if (is_full) return retry(arrival, arrival.time), false;
        if (line.dirty) write_to_memory(line, request.time);
        line.address = request.line;
        line.dirty = false;
        post_.memory().read_dram(line.address, line.bytes.data(), line_bytes);
        return true;
    }
    void installed(Message* request, std::uint64_t time) override { serve(request, time); }
    void answered(Message* message) override {
        const std::uint64_t time = message->time;
        const auto ended = take_answer(message);
        if (!ended) return;
        answer(ended->current, time);
        go_on(*ended, time);
    }
    void serve(Message* request, std::uint64_t start) {
        if (request->kind == MessageKind::read) {
            request->kind = MessageKind::data;
            request->bytes = line.bytes;
            return answer(request, start + times_.service);
        }
        const bool wrote = perform(*request, line, may_store, start);
        if (!wrote || asked == 0) return answer(request, start);
        open(line.address, Phase::invalidating, asked, request);
        for (std::uint32_t sharer = 0; sharer < asked; ++sharer) invalidate(sharer, line.address, start);
    }
    Port port_;
};

struct Bench {
    RecordingPost post;
    OneLineHome home{post};

    Message* message(MessageKind kind, std::uint32_t from, std::uint64_t line, std::uint64_t time) {
        Message* const made = post.pool().make(kind, home_node, line);
        made->source = made->requester = from;
        made->time = time;
        return made;
    }
    void arrives(MessageKind kind, std::uint32_t from, std::uint64_t line, std::uint64_t time) {
        home.receive(message(kind, from, line, time));
    }
    void byte_arrives(std::uint8_t value, std::uint32_t from, std::uint64_t time) {
        Message* const made = message(MessageKind::write_through, from, first, time);
        made->mask = 1;
        made->bytes[0] = value;
        home.receive(made);
    }
    // The home has the line by that time.
    void have(std::uint64_t line, std::uint64_t time) {
        arrives(MessageKind::read, 1, line, time);
        arrives(MessageKind::memory_data, controller, line, time);
        post.sent.clear();
    }
};

}  // namespace

TEST_CASE("home engine: requests for a line that comes from memory wait, and are served in the order of arrival") {
    Bench bench;
    bench.arrives(MessageKind::read, 1, first, 100);
    const auto asked = bench.post.next();
    CHECK(asked.message->kind == MessageKind::memory_read);
    CHECK(asked.message->destination == controller);
    CHECK(asked.time == 100 + times.service);
    bench.byte_arrives(7, 2, 101);
    bench.arrives(MessageKind::read, 3, first, 102);
    CHECK(bench.post.sent.empty());
    REQUIRE(bench.home.busy_with(first));
    CHECK(bench.home.busy_with(first)->phase == HomeEngine::Phase::filling);
    CHECK(bench.home.busy_with(first)->waiting == 2);
    CHECK(!bench.home.busy_with(second));

    bench.arrives(MessageKind::memory_data, controller, first, 150);
    CHECK(bench.home.idle());
    const auto one = bench.post.next(), two = bench.post.next(), three = bench.post.next();
    CHECK(one.message->destination == 1);
    CHECK(one.time == 150 + times.service);
    CHECK(one.message->bytes[0] == 0);
    CHECK(two.message->kind == MessageKind::write_ack);
    CHECK(two.time == 150);  // it has the port at once: the line's arrival does not need it
    CHECK(three.message->destination == 3);
    CHECK(three.time == 150 + times.occupancy_word + times.service);
    CHECK(three.message->bytes[0] == 7);
}

TEST_CASE("home engine: a request has the port when the one before has had it for its cycles, and not one earlier") {
    for (const std::uint64_t later : {2, 3, 4}) {
        Bench bench;
        bench.have(first, 100);
        const auto before = bench.home.statistics();
        bench.arrives(MessageKind::read, 1, first, 200);
        bench.arrives(MessageKind::read, 2, first, 200 + later);
        CHECK(bench.post.next().time == 200 + times.service);
        CHECK(bench.post.next().time == std::max<std::uint64_t>(200 + later, 203) + times.service);
        CHECK(bench.home.statistics().waited - before.waited == (later == 2 ? 1 : 0));
        CHECK(bench.home.statistics().busy - before.busy == 2 * times.occupancy);
    }
}

TEST_CASE("home engine: a line for which there is no room is tried again behind the port's next access") {
    Bench bench;
    bench.arrives(MessageKind::read, 1, first, 100);
    bench.post.sent.clear();
    bench.home.is_full = true;
    bench.arrives(MessageKind::memory_data, controller, first, 150);
    const auto again = bench.post.next();
    CHECK(again.message->kind == MessageKind::alarm);
    CHECK(again.time == 150 + times.occupancy + 1);
    CHECK(!bench.home.idle());
    bench.home.is_full = false;
    again.message->time = again.time;
    bench.home.receive(again.message);
    CHECK(bench.post.next().message->destination == 1);
    CHECK(bench.home.idle());
}

TEST_CASE("home engine: a write is answered at the last acknowledgement, and who waited begins anew then") {
    Bench bench;
    bench.have(first, 100);
    bench.home.asked = 2;
    bench.byte_arrives(5, 1, 200);
    bench.post.sent.clear();  // the invalidations
    bench.arrives(MessageKind::read, 3, first, 201);
    bench.arrives(MessageKind::invalidate_ack, 0, first, 210);
    CHECK(bench.post.sent.empty());
    bench.arrives(MessageKind::invalidate_ack, 1, first, 220);
    const auto answered = bench.post.next(), read = bench.post.next();
    CHECK(answered.message->kind == MessageKind::write_ack);
    CHECK(answered.time == 220);
    CHECK(read.time == 220 + times.service);
    CHECK(read.message->bytes[0] == 5);
    CHECK(bench.home.statistics().invalidations == 2);
}

TEST_CASE("home engine: a store-conditional stores if it may, and an atomic operation always") {
    Bench bench;
    bench.have(first, 100);
    const auto result = [&](MessageKind kind, std::uint64_t operand, std::uint64_t time) {
        Message* const made = bench.message(kind, 1, first, time);
        made->operation = AtomicOperation::add;
        made->offset = 8;
        made->size = 4;
        made->operand = operand;
        bench.home.receive(made);
        const auto answer = bench.post.next();
        CHECK(answer.message->kind == MessageKind::atomic_result);
        return answer.message->operand;
    };
    CHECK(result(MessageKind::store_conditional, 40, 200) == 0);
    bench.home.may_store = false;
    CHECK(result(MessageKind::store_conditional, 50, 300) == 1);
    CHECK(result(MessageKind::atomic, 2, 400) == 40);
    CHECK(get_bytes(bench.home.line.bytes.data() + 8, 4) == 42);
    CHECK(bench.home.line.dirty);
}

TEST_CASE("home engine: what a line leaves behind is in memory for whoever reads it next") {
    Bench bench;
    bench.have(first, 100);
    bench.byte_arrives(9, 1, 200);
    bench.have(second, 300);
    CHECK(bench.home.statistics().memory_writes == 1);
    bench.have(first, 400);
    CHECK(bench.home.line.bytes[0] == 9);
    CHECK(bench.home.statistics().memory_reads == 3);
}

TEST_CASE("home engine: an answer or a line that nobody waits for is told") {
    Bench bench;
    CHECK_THROWS_AS(bench.arrives(MessageKind::invalidate_ack, 1, first, 100), SimulatorFault);
    CHECK_THROWS_AS(bench.arrives(MessageKind::memory_data, controller, first, 100), SimulatorFault);
    CHECK_THROWS_AS(bench.arrives(MessageKind::data, 1, first, 100), SimulatorFault);
    bench.arrives(MessageKind::read, 1, first, 100);
    CHECK_THROWS_AS(bench.arrives(MessageKind::invalidate_ack, 1, first, 110), SimulatorFault);  // it asked nobody
}

}  // namespace croftsim
