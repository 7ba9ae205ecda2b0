#pragma once
// The program's table of file descriptors, its working directory, and the small numbers that stand for the host's
// devices and inodes.

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/archive.hpp"
#include "contract/simulation.hpp"
#include "kernel/linux_abi.hpp"
#include "kernel/open_file.hpp"
#include "kernel/sandbox.hpp"

namespace croftsim {

struct Waitables;

class Files {
public:
    static constexpr std::uint32_t limit = 1024;

    // Throws std::invalid_argument for directories that cannot be granted, and for a working directory that is none.
    Files(const RunOptions& options, SplitMix64& random, Waitables& waitables);

    // These throw Errno{EBADF} for a number that stands for nothing.
    OpenFile& get(std::int32_t fd) const;
    std::shared_ptr<OpenFile> share(std::int32_t fd) const;
    void close(std::int32_t fd);
    bool& close_on_exec(std::int32_t fd);
    bool is_open(std::int32_t fd) const;

    // The lowest free number from `least` on; throws Errno{EMFILE} if there is none.
    std::int32_t add(std::shared_ptr<OpenFile> file, bool close_on_exec, std::int64_t least = 0);
    // Adds two files, or none.
    std::array<std::int32_t, 2> add_two(std::shared_ptr<OpenFile> one, std::shared_ptr<OpenFile> other,
                                        bool close_on_exec);
    // The open file of that OpenFile::number, which the descriptor stood for when it was looked at; null if it is gone.
    std::shared_ptr<OpenFile> find(std::uint64_t number, std::int32_t fd) const;
    std::int32_t duplicate(std::int32_t fd, bool close_on_exec, std::int64_t least);
    void duplicate_to(std::int32_t fd, std::int32_t to, bool close_on_exec);

    // The place where a path relative to `directory`, a file descriptor or AT_FDCWD, starts.
    Sandbox::PlacePointer base(std::int32_t directory) const;
    Sandbox::Target resolve(std::int32_t directory, const std::string& path, bool follow) const;

    std::shared_ptr<OpenFile> open(const Sandbox::Target& target, std::uint32_t flags, unsigned mode);
    struct stat status(const Sandbox::Target& target) const;

    // Numbers in the order of first use, so that the same run sees the same ones on every host.
    std::uint64_t device_number(std::uint64_t host_device);
    std::uint64_t inode_number(std::uint64_t host_device, std::uint64_t host_inode);
    // The inode is gone: should the host use its number again, it is another.
    void forget(std::uint64_t host_device, std::uint64_t host_inode) { inodes_.erase({host_device, host_inode}); }
    abi::Stat describe(const struct stat& status);

    void serialise(Archive& archive);

    Sandbox sandbox;
    Sandbox::PlacePointer working_directory;
    unsigned umask = 022;

private:
    struct Descriptor {
        std::shared_ptr<OpenFile> file;
        bool close_on_exec = false;
    };

    std::shared_ptr<OpenFile> made_again(OpenFile::Kind kind, std::uint32_t flags);
    static int host_access(std::uint32_t flags);  // the host's flags for openat's
    void found_again(std::uint64_t device, std::uint64_t inode, const struct stat& now);
    void serialise_place(Archive& archive, Sandbox::PlacePointer& place) const;
    void serialise_file(Archive& archive, std::shared_ptr<OpenFile>& file);
    std::shared_ptr<OpenFile> open_again(OpenFile::Kind kind, const std::string& path, std::uint32_t flags,
                                         bool is_nameless);
    std::array<std::shared_ptr<OpenFile>, 3> streams_;  // what 0, 1 and 2 are at first

    SplitMix64& random_;
    Waitables& waitables_;
    std::uint64_t last_number_ = 0;
    std::vector<Descriptor> descriptors_;
    std::map<std::uint64_t, std::uint64_t> devices_;
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> inodes_;
    std::uint64_t last_inode_ = 0;
};
static_assert(is_listed<Files, 328>);

}  // namespace croftsim
