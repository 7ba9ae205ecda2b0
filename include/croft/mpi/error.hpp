#pragma once
// An error between processes: an exception that names the rank, and says what MPI says of it.

#include <mpi.h>

#include <cstddef>
#include <exception>
#include <stdexcept>
#include <string>

namespace croft::mpi {

inline constexpr int no_rank = -1;

class error : public std::runtime_error {
public:
    // `rank`: of the process at which it went wrong, in the group that is spoken of; no_rank if it is no one's.
    explicit error(const std::string& sentence, int rank = no_rank, int code = MPI_SUCCESS)
        : std::runtime_error(sentence), rank_(rank), code_(code) {}

    int rank() const { return rank_; }
    int code() const { return code_; }  // MPI's error code; MPI_SUCCESS if it was not MPI that refused

private:
    int rank_;
    int code_;
};

// An exception of a rank's own code, told at another rank: what() is its what().
class remote_failure : public error {
public:
    remote_failure(int rank, const std::string& what) : error("rank " + std::to_string(rank) + ": " + what, rank) {}
};

namespace detail {

inline std::string text_of(int code) {
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    if (MPI_Error_string(code, text, &length) != MPI_SUCCESS) return "error " + std::to_string(code);
    return {text, static_cast<std::size_t>(length)};
}

// The what() of an exception.
inline std::string what_of(const std::exception_ptr& thrown) {
    try {
        std::rethrow_exception(thrown);
    } catch (const std::exception& one) {
        return one.what();
    } catch (...) {
        return "an exception that is no std::exception";
    }
}

// For a call with no partner, or many.
inline void check(int code, const char* doing) {
    if (code != MPI_SUCCESS) [[unlikely]]
        throw error(std::string("croft::mpi: ") + doing + ": " + text_of(code), no_rank, code);
}
// For a call with that rank.
inline void check(int code, const char* doing, int rank) {
    if (code != MPI_SUCCESS) [[unlikely]]
        throw error("croft::mpi: " + std::string(doing) + " rank " + std::to_string(rank) + ": " + text_of(code), rank,
                    code);
}

}  // namespace detail
}  // namespace croft::mpi
