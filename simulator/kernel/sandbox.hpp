#pragma once
// The files that the program may see: directories that its user names, each under a guest name, and a few devices of
// the kernel's own. Nothing else exists.
//
// A path is resolved here, component by component. Each step is relative to the descriptor of a directory that was
// reached before, with O_NOFOLLOW. The host's kernel never sees a path with a slash in it. Symbolic links are read and
// resolved as guest paths, and `..` is the place that we came from, never the host's `..`. So every step starts in a
// directory below a granted one and goes down. That holds whatever the links and names are, and however another process
// renames things meanwhile.

#include <sys/stat.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "contract/simulation.hpp"
#include "kernel/host_descriptor.hpp"

namespace croftsim {

enum class Device : std::uint8_t { none, null, zero, random };

class Sandbox {
public:
    // A directory, or a device, that exists by the user's grant and not by the host's directories.
    struct Node {
        std::map<std::string, Node> children;
        std::shared_ptr<HostDescriptor> host;  // the granted directory; null for a mere parent of one
        Device device = Device::none;
        std::uint64_t number = 0;  // tells nodes apart; the root is 0
        bool granted = false;      // it, or something below it, was named by the user: it is listed
        bool read_only = false;    // a granted directory in which nothing may be changed
    };

    // A directory as the program reached it.
    struct Place {
        std::shared_ptr<const Place> parent;  // null for the root
        std::string name;
        std::shared_ptr<HostDescriptor> host;  // null: no host directory is here
        const Node* node = nullptr;            // where granted directories may be below
        bool read_only = false;                // it is below a granted directory in which nothing may be changed
        std::string path() const;
    };
    using PlacePointer = std::shared_ptr<const Place>;

    // What a path means: the entry `name` of `directory`, whether it exists or not; or, without a name, the directory.
    struct Target {
        PlacePointer directory;
        std::string name;
        bool must_be_directory = false;  // a slash followed
    };

    // The program's name for it.
    static std::string path_of(const Target& target);

    // Throws std::invalid_argument if a directory cannot be opened, or a guest name is not absolute or is used twice.
    explicit Sandbox(const std::vector<Directory>& directories);

    PlacePointer root() const { return root_place_; }

    // Throws Errno. If the last component is a symbolic link, it is followed when `follow` says so.
    Target resolve(const PlacePointer& base, std::string_view path, bool follow) const;
    // The directory that the target is; throws Errno (ENOENT, ENOTDIR, ...).
    PlacePointer enter(const Target& target) const;

    // The device that the target is, if it is one.
    static const Node* device(const Target& target);
    // As lstat; throws Errno. Not for targets without a host directory.
    static struct stat status(const Target& target);
    // A file descriptor for the regular file that the target is or shall become. Throws Errno: EACCES for special
    // files, EROFS if that would change a file that may only be read. `flags` are the host's.
    static HostDescriptor open_file(const Target& target, int flags, unsigned mode);

private:
    PlacePointer child(const PlacePointer& place, const std::string& name, const Node& node) const;

    Node root_;
    PlacePointer root_place_;
};

}  // namespace croftsim
