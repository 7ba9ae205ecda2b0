// The tournament predictor, alone: on patterns whose mispredictions can be counted by hand.

#include <doctest/doctest.h>

#include "core/branch_predictor.hpp"

namespace croftsim {
namespace {

// Predicts and corrects as a core does that resolves a branch before it fetches the next. Returns whether the branch
// was predicted wrongly.
bool branch(BranchPredictor& predictor, std::uint64_t pc, bool taken) {
    const BranchPredictor::Prediction prediction = predictor.branch(pc);
    if (prediction.taken != taken) predictor.correct(prediction, taken);
    predictor.learn_branch(pc, prediction, taken);
    return prediction.taken != taken;
}

// Mispredictions of `count` branches at one place, whose outcomes are the pattern's, again and again.
int mispredictions(BranchPredictor& predictor, const char* pattern, int count) {
    int wrong = 0;
    const char* at = pattern;
    for (int i = 0; i < count; ++i) {
        wrong += branch(predictor, 64, *at == 'T');
        if (*++at == 0) at = pattern;
    }
    return wrong;
}

}  // namespace

TEST_CASE("a branch that is always taken is predicted wrongly until its history is full, and once more") {
    for (const std::uint32_t bits : {1u, 4u, 11u}) {
        OutOfOrderDescription shape;
        shape.local_history_bits = bits;
        BranchPredictor predictor(shape);
        CHECK(mispredictions(predictor, "T", 100) == static_cast<int>(bits) + 1);
        BranchPredictor never(shape);
        CHECK(mispredictions(never, "N", 100) == 0);  // counters begin at not taken
    }
}

TEST_CASE("a branch that alternates is learnt from a single bit of history") {
    OutOfOrderDescription shape;
    shape.local_histories = 1;
    shape.local_history_bits = 1;
    shape.global_counters = 2;
    BranchPredictor predictor(shape);
    CHECK(mispredictions(predictor, "TN", 100) == 1);
}

TEST_CASE("where its own history is too short for a branch, that of all branches is chosen") {
    OutOfOrderDescription shape;
    shape.local_history_bits = 1;  // behind T comes T or N
    shape.global_counters = 8;     // three outcomes tell which
    BranchPredictor predictor(shape);
    CHECK(mispredictions(predictor, "TTN", 60) > 0);
    CHECK(mispredictions(predictor, "TTN", 60) == 0);
    shape.global_counters = 2;  // now neither can
    BranchPredictor short_of_both(shape);
    mispredictions(short_of_both, "TTN", 60);
    CHECK(mispredictions(short_of_both, "TTN", 60) >= 20);
}

TEST_CASE("what follows a misprediction is taken back") {
    OutOfOrderDescription shape;
    BranchPredictor predictor(shape), other(shape);
    for (int i = 0; i < 40; ++i) {
        CHECK(branch(predictor, 64, i % 3 == 0) == branch(other, 64, i % 3 == 0));
        // Fetched on a wrong path, and undone: the youngest first.
        const BranchPredictor::Prediction first = predictor.branch(72), called = predictor.here();
        predictor.call(1000);
        const BranchPredictor::Prediction second = predictor.branch(80);
        predictor.undo(second);
        predictor.undo(called);
        predictor.undo(first);
    }
}

TEST_CASE("returns go where calls came from, as many as the stack holds") {
    OutOfOrderDescription shape;
    shape.return_addresses = 4;
    BranchPredictor predictor(shape);
    for (std::uint64_t i = 1; i <= 6; ++i) predictor.call(100 * i);
    const BranchPredictor::Prediction before = predictor.here();
    CHECK(predictor.return_address() == 600);
    predictor.undo(before);
    for (const std::uint64_t to : {600u, 500u, 400u, 300u}) CHECK(predictor.return_address() == to);
    CHECK(predictor.return_address() == 600);  // the oldest two were overwritten
    CHECK(predictor.target(64) == 0);
    predictor.learn_target(64, 4096);
    CHECK(predictor.target(64) == 4096);
}

TEST_CASE("an indirect jump falls through until it has been mispredicted behind the same history and targets") {
    OutOfOrderDescription shape;
    shape.indirect_sets = 256;
    shape.return_addresses = 0;
    BranchPredictor predictor(shape);
    CHECK(predictor.predicts_indirect());
    CHECK(!predictor.has_stack());
    const auto jump = [&](std::uint64_t pc, std::uint64_t to) {
        BranchPredictor::Prediction made = predictor.here();
        const std::uint64_t predicted = predictor.indirect(pc, pc + 4, made);
        if (predicted != to) {
            predictor.correct_path(made, to);
            predictor.learn_indirect(pc, made, to);
        }
        return predicted;
    };
    // With three targets in the path, the fourth jump is the first that finds what it left.
    for (int i = 0; i < 4; ++i) CHECK(jump(0x400, 0x1234) == 0x404);
    for (int i = 0; i < 4; ++i) CHECK(jump(0x400, 0x1234) == 0x1234);
    // Another history of branches is another entry.
    const BranchPredictor::Prediction branch = predictor.branch(64);
    predictor.correct(branch, !branch.taken);
    CHECK(jump(0x400, 0x1234) == 0x404);
    CHECK(jump(0x404, 0x2000) == 0x408);
}

TEST_CASE("what an indirect jump put into the path is taken back, and a set's targets replace each other") {
    OutOfOrderDescription shape;
    shape.indirect_sets = 1;
    shape.indirect_ways = 2;
    BranchPredictor predictor(shape);
    const auto predicted = [&](std::uint64_t pc) {
        BranchPredictor::Prediction made = predictor.here();
        const std::uint64_t to = predictor.indirect(pc, 1, made);
        predictor.undo(made);
        CHECK(predictor.here().path == made.path);
        return to;
    };
    const BranchPredictor::Prediction here = predictor.here();
    for (const std::uint64_t pc : {0x100u, 0x200u}) predictor.learn_indirect(pc, here, 10 * pc);
    CHECK(predicted(0x100) + predicted(0x200) >= 0x1000);
    predictor.learn_indirect(0x300, here, 0x3000);
    CHECK(predicted(0x300) == 0x3000);
    CHECK((predicted(0x100) == 1) + (predicted(0x200) == 1) >= 1);  // one of them is gone
}

}  // namespace croftsim
