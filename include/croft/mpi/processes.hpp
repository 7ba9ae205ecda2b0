#pragma once
// A group of processes, which channels and patterns across processes are told.
//
//     croft::mpi::processes half(some_communicator);      // by all of that communicator, at once
//     croft::mpi::world()                                 // all there are; the first call by all at once, too
//
// It has a communicator of its own, so that croft's messages do not meet the program's own. On it errors come back, as
// `error`, and do not end the program. Tags tell messages of different links in one group apart. next_tag() numbers the
// objects that all processes make in the same order. next_tag_with(peer) numbers those that the two of a pair make in
// the same order, whatever others make. (MPI tells messages apart by their sender as well.) Either has half of the
// tags.

#include <mpi.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <croft/mpi/error.hpp>
#include <croft/mpi/lingering.hpp>

namespace croft::mpi {

namespace detail {

// Threads of croft are about to run, so MPI has to know that there are such.
inline void check_usable() {
    int initialised = 0, finalised = 0, level = MPI_THREAD_SINGLE;
    MPI_Initialized(&initialised);
    if (!initialised)
        throw error(
            "croft::mpi: MPI is not initialised: make a croft::mpi::environment first, or call MPI_Init_thread");
    MPI_Finalized(&finalised);
    if (finalised) throw error("croft::mpi: MPI has been finalised already");
    check(MPI_Query_thread(&level), "asking for the level of thread support");
    if (level == MPI_THREAD_SINGLE) {
        int rank = no_rank;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        throw error("croft::mpi: rank " + std::to_string(rank) +
                        " has initialised MPI with MPI_THREAD_SINGLE, and croft runs threads: ask MPI_Init_thread for "
                        "MPI_THREAD_MULTIPLE, or make a croft::mpi::environment",
                    rank);
    }
}

// MPI is going to be called by this thread, or by another one alone.
inline void check_caller(bool is_this_thread, int rank) {
    int level = MPI_THREAD_SINGLE, is_main = 0;
    MPI_Query_thread(&level);
    MPI_Is_thread_main(&is_main);
    if (level > MPI_THREAD_FUNNELED || (is_main && is_this_thread)) return;
    throw error("croft::mpi: rank " + std::to_string(rank) +
                    " has initialised MPI with MPI_THREAD_FUNNELED, and this pattern calls it from another thread: ask "
                    "MPI_Init_thread for MPI_THREAD_MULTIPLE",
                rank);
}

}  // namespace detail

class processes {
public:
    // Collective: by all processes of `of`. Throws `error`.
    explicit processes(MPI_Comm of) {
        detail::check_usable();
        detail::check(MPI_Comm_dup(of, &all_), "duplicating a communicator");
        MPI_Comm_set_errhandler(all_, MPI_ERRORS_RETURN);
        MPI_Comm_rank(all_, &rank_);
        MPI_Comm_size(all_, &size_);
        detail::check(MPI_Comm_split_type(all_, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node_),
                      "finding the processes of this node");
        MPI_Comm_set_errhandler(node_, MPI_ERRORS_RETURN);
        tag_with_.resize(static_cast<std::size_t>(size_));
        find_neighbours();
        count_tags();
    }
    ~processes() {
        int finalised = 0;
        MPI_Finalized(&finalised);
        if (finalised) return;
        MPI_Comm_free(&node_);
        // The others come here too, and have destroyed their links by then.
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
        while (!lingering_.are_done() && std::chrono::steady_clock::now() < end)
            std::this_thread::sleep_for(std::chrono::microseconds(50));
        if (lingering_.have_ended() && !is_left_) {
            MPI_Comm_free(&all_);
        } else {
            lingering_.abandon();
        }
    }
    processes(const processes&) = delete;
    processes& operator=(const processes&) = delete;

    int rank() const { return rank_; }
    int size() const { return size_; }
    MPI_Comm comm() const { return all_; }

    // The processes that share our memory, as a communicator; and the rank in it of one of all, or no_rank.
    MPI_Comm node() const { return node_; }
    int rank_in_node(int rank) const { return in_node_[static_cast<std::size_t>(rank)]; }
    int size_of_node() const {
        int size = 1;
        MPI_Comm_size(node_, &size);
        return size;
    }
    bool on_this_node(int rank) const { return rank_in_node(rank) != no_rank; }

    // Another number each time, the same at every process that has asked as often.
    int next_tag() const {
        lingering_.have_ended();  // or MPI would look through their receives for those of the link that this is for
        return static_cast<int>(++tag_ % half_of_tags_);
    }
    // The same of a pair: the same at both if they have asked as often for one with each other.
    int next_tag_with(int peer) const {
        lingering_.have_ended();
        return static_cast<int>(half_of_tags_ + ++tag_with_[static_cast<std::size_t>(peer)] % half_of_tags_);
    }

    // For links: keeps the rest of a link that was destroyed (lingering.hpp). Notes that messages may have been sent
    // which nobody will receive, so that the communicator is left to MPI's end.
    void keep(std::unique_ptr<detail::lingering> one) const { lingering_.keep(std::move(one)); }
    void leave_communicator() const { is_left_ = true; }

private:
    void find_neighbours() {
        MPI_Group all, node;
        MPI_Comm_group(all_, &all);
        MPI_Comm_group(node_, &node);
        std::vector<int> ranks(static_cast<std::size_t>(size_));
        for (int i = 0; i < size_; ++i) ranks[static_cast<std::size_t>(i)] = i;
        in_node_.resize(ranks.size());
        MPI_Group_translate_ranks(all, size_, ranks.data(), node, in_node_.data());
        for (int& each : in_node_)
            if (each == MPI_UNDEFINED) each = no_rank;
        MPI_Group_free(&all);
        MPI_Group_free(&node);
    }

    // Counts as many as there are, up to 2^31 (MPI 3.1, 8.1.2; the same everywhere). A link that comes round to the tag
    // of one that still lives would take its messages.
    void count_tags() {
        int found = 0;
        const int* last = nullptr;
        MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &last, &found);
        half_of_tags_ = ((found ? static_cast<unsigned>(*last) : 32'767u) + 1) / 2;
    }

    MPI_Comm all_ = MPI_COMM_NULL, node_ = MPI_COMM_NULL;
    int rank_ = 0, size_ = 0;
    std::vector<int> in_node_;
    mutable detail::lingering_ones lingering_;
    mutable std::atomic<bool> is_left_{false};
    unsigned half_of_tags_ = 0;
    mutable unsigned tag_ = 0;
    mutable std::vector<unsigned> tag_with_;
};

namespace detail {

inline std::optional<processes>& the_world() {
    static std::optional<processes> one;
    return one;
}

// MPI has no other way to say that it is about to end: it frees what MPI_COMM_SELF carries (MPI 3.1, 8.7.1).
inline int forget_world(MPI_Comm, int, void*, void*) {
    the_world().reset();
    return MPI_SUCCESS;
}

}  // namespace detail

// All processes of the program. The first call is collective: all make it, or it waits for those that have not.
inline const processes& world() {
    std::optional<processes>& one = detail::the_world();
    if (!one) {
        one.emplace(MPI_COMM_WORLD);
        int key = MPI_KEYVAL_INVALID;
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, detail::forget_world, &key, nullptr);
        MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr);
        MPI_Comm_free_keyval(&key);
    }
    return *one;
}

}  // namespace croft::mpi
