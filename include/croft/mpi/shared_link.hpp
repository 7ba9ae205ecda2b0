#pragma once
// How processes of one node come to share a channel's memory: one of them, the maker, makes it, each of the others maps
// it; the maker and each of the others tell each other the doorbells that they wait at. All go on, or all throw the
// same error. The messages are MPI's, the last ones between them that are.
//
// Each lets go of the memory by itself, so unlike a channel's between threads the object of one side may be destroyed
// while the other side is still in a call.

#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <croft/mpi/error.hpp>
#include <croft/mpi/in_shared_memory.hpp>
#include <croft/mpi/processes.hpp>
#include <croft/mpi/shared_memory.hpp>
#include <croft/mpi/waiter.hpp>
#include <croft/port/between_processes.hpp>

namespace croft::mpi::detail {

// How much memory a channel takes that is made of these.
template <class Channel, class... Arguments>
std::size_t lines_taken(waiter& any, Arguments... arguments) {
    line_supply none = line_supply::of_none();
    const Channel measured(arguments..., homes::in_shared_memory(none), &any, &any);
    return none.taken_of_none();
}

class shared_link {
public:
    // By each of these ranks. `what`: is made, for sentences. `mine`: what this process waits with; if null, a waiter
    // that the link has. Throws `error`, before anything is sent.
    shared_link(const char* what, const processes& group, int maker, std::vector<int> others, waiter* mine)
        : what_(what), node_(group.node()), rank_(group.rank()) {
        check_ranks(group, maker, others);
        const auto add = [&](int rank) { others_.emplace_back(rank, group.rank_in_node(rank)); };
        if (is_maker_ = rank_ == maker; is_maker_)
            std::for_each(others.begin(), others.end(), add);
        else
            add(maker);
        if (!mine) {
            int processes_here = 1;
            MPI_Comm_size(node_, &processes_here);
            const bool take_turns = static_cast<std::size_t>(processes_here) > os::core_count_of_node();
            own_ = std::make_unique<waiter>();
            if (take_turns) own_->share_cores();
        }
        waiter_ = mine ? mine : own_.get();
    }
    ~shared_link() { waiter_->forget(this); }
    shared_link(const shared_link&) = delete;
    shared_link& operator=(const shared_link&) = delete;

    bool is_maker() const { return is_maker_; }
    waiter& own() { return *waiter_; }
    // What rings the others: the maker's are numbered as they were told, the others have one, the maker.
    waiter& other(std::size_t i = 0) { return *others_[i].bell; }

    // `build(memory)` is called once: by the maker before any of the others. `size`, in bytes, is to be the same in
    // all.
    template <class Build>
    void join(std::size_t size, Build build) {
        std::optional<failure> failed;
        const auto attempt = [&](auto action) {
            if (!failed) failed = failure_of(action);
        };
        if (is_maker_) attempt([&] { memory_ = shared_memory(size); });
        for (partner& one : others_) {
            const introduction mine{os::process::this_one(), waiter_->named(), memory_.named()};
            introduction yours;
            exchange(mine, yours, one);
            one.process = yours.process;
            attempt([&] { one.bell = std::make_unique<waiter>(yours.bell, one.rank); });
            if (is_maker_ || yours.memory.file < 0) continue;  // the maker will tell why there is none
            attempt([&] {
                memory_ = shared_memory(yours.memory, one.rank);
                if (memory_.size() != size) disagree(one.rank);
            });
        }
        if (is_maker_) {
            attempt([&] { build(memory_.data()); });
            for (partner& one : others_) {
                failure theirs;
                receive(theirs, one);
                if (!failed && theirs.text[0]) failed = theirs;
            }
        }
        // MPI promises nothing about what was written beside it. A fence on either side of the message does: it is sent
        // and received in this memory, by atomics.
        std::atomic_thread_fence(std::memory_order_seq_cst);
        for (partner& one : others_) send(failed.value_or(failure{}), one);
        if (!is_maker_) {
            failure all;
            receive(all, others_[0]);
            if (all.text[0]) failed = all;
        }
        std::atomic_thread_fence(std::memory_order_seq_cst);
        memory_.close();  // all have it
        if (failed) throw error(failed->text, failed->rank);
        if (!is_maker_) build(memory_.data());
    }

    // Whoever waits asks whether that one still lives: see waiter.hpp.
    void watch(std::size_t i, std::function<bool()> has_gone) {
        waiter_->watch(this, others_[i].process, others_[i].rank, std::move(has_gone));
    }

private:
    struct partner {
        partner(int its_rank, int in_node) : rank(its_rank), rank_in_node(in_node) {}
        int rank, rank_in_node;
        os::process process{};
        std::unique_ptr<waiter> bell;
    };
    struct introduction {
        os::process process{};
        waiter::name bell{};
        shared_memory::name memory{};
    };
    struct failure {
        int rank = no_rank;
        char text[252] = {};  // empty: none
    };
    static_assert(std::is_trivially_copyable_v<introduction> && std::is_trivially_copyable_v<failure>);

    // All ranks come to the same end, whichever they are.
    void check_ranks(const processes& group, int maker, std::vector<int> all) const {
        all.push_back(maker);
        for (const int rank : all) {
            if (rank < 0 || rank >= group.size())
                throw error(what_ + ": there is no rank " + std::to_string(rank) + " in this group", rank);
            if (std::count(all.begin(), all.end(), rank) > 1)
                throw error(what_ + ": rank " + std::to_string(rank) + " has more than one end of it", rank);
        }
        if (std::find(all.begin(), all.end(), rank_) == all.end())
            throw error(what_ + ": rank " + std::to_string(rank_) + " has no end of it", rank_);
        for (const int rank : all)
            if (!group.on_this_node(rank))
                throw error(what_ + ": rank " + std::to_string(rank) + " is not on the node of rank " +
                                std::to_string(rank_) + ", so they share no memory",
                            rank);
    }
    [[noreturn]] void disagree(int with) const {
        throw error(what_ + ": ranks " + std::to_string(rank_) + " and " + std::to_string(with) +
                        " were told different degrees, or types of messages",
                    with);
    }
    template <class Action>
    std::optional<failure> failure_of(Action action) const {
        failure one;
        const auto keep = [&](const char* sentence, int rank) {
            one.rank = rank;
            std::snprintf(one.text, sizeof one.text, "%s", sentence);
            return one;
        };
        try {
            action();
        } catch (const error& thrown) {
            return keep(thrown.what(), thrown.rank());
        } catch (const std::exception& thrown) {
            return keep((what_ + ": rank " + std::to_string(rank_) + ": " + thrown.what()).c_str(), rank_);
        }
        return std::nullopt;
    }

    // Nothing else is sent in the communicator of the node, and messages of one to the other do not overtake; so two
    // links of the same processes are not mixed up if both make them in the same order.
    static constexpr int tag = 0;
    template <class T>
    void send(const T& what, const partner& to) const {
        check(MPI_Send(&what, sizeof what, MPI_BYTE, to.rank_in_node, tag, node_), "sharing memory with", to.rank);
    }
    template <class T>
    void receive(T& what, const partner& from) const {
        check(MPI_Recv(&what, sizeof what, MPI_BYTE, from.rank_in_node, tag, node_, MPI_STATUS_IGNORE),
              "sharing memory with", from.rank);
    }
    template <class T>
    void exchange(const T& mine, T& yours, const partner& with) const {
        check(MPI_Sendrecv(&mine, sizeof mine, MPI_BYTE, with.rank_in_node, tag, &yours, sizeof yours, MPI_BYTE,
                           with.rank_in_node, tag, node_, MPI_STATUS_IGNORE),
              "sharing memory with", with.rank);
    }

    std::string what_;
    MPI_Comm node_;
    int rank_;
    bool is_maker_ = false;
    std::vector<partner> others_;
    shared_memory memory_;
    std::unique_ptr<waiter> own_;
    waiter* waiter_;
};

}  // namespace croft::mpi::detail
