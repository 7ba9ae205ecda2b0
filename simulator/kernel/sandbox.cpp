#include "kernel/sandbox.hpp"

#include <fcntl.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <stdexcept>

#include "kernel/errno.hpp"

namespace croftsim {
namespace {

constexpr int most_links = 40;  // of one resolution, as Linux

// Pushes the components of a path so that the first one is on top. True if the path asks for a directory: it ends in a
// slash.
bool push(std::vector<std::string>& stack, std::string_view path) {
    std::vector<std::string> parts;
    for (std::size_t at = 0; at < path.size();) {
        const std::size_t slash = std::min(path.find('/', at), path.size());
        if (slash > at) parts.emplace_back(path.substr(at, slash - at));
        at = slash + 1;
    }
    stack.insert(stack.end(), parts.rbegin(), parts.rend());
    return !path.empty() && path.back() == '/';
}

std::string read_link(int directory, const std::string& name) {
    std::array<char, PATH_MAX> text;
    const ssize_t length = ::readlinkat(directory, name.c_str(), text.data(), text.size());
    if (length < 0) throw Errno{errno};
    if (length == 0) throw Errno{ENOENT};
    if (static_cast<std::size_t>(length) == text.size()) throw Errno{ENAMETOOLONG};
    return {text.data(), static_cast<std::size_t>(length)};
}

HostDescriptor open_directory(int base, const char* name) {
    HostDescriptor directory(::openat(base, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!directory) throw Errno{errno == ELOOP ? ENOTDIR : errno};
    return directory;
}

}  // namespace

std::string Sandbox::Place::path() const {
    if (!parent) return "/";
    const std::string above = parent->path();
    return (above == "/" ? above : above + "/") + name;
}

std::string Sandbox::path_of(const Target& target) {
    const std::string above = target.directory->path();
    if (target.name.empty()) return above;
    return (above == "/" ? above : above + "/") + target.name;
}

Sandbox::Sandbox(const std::vector<Directory>& directories) {
    std::uint64_t nodes = 0;
    const auto node_at = [&](std::string_view path, bool granted) -> Node& {
        std::vector<std::string> parts;
        push(parts, path);
        Node* node = &root_;
        for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
            if (*part == "..") throw std::invalid_argument("the directory name " + std::string(path) + " contains ..");
            if (*part == ".") continue;
            node = &node->children[*part];
            if (!node->number) node->number = ++nodes;
            node->granted |= granted;
        }
        return *node;
    };
    node_at("/dev/null", false).device = Device::null;
    node_at("/dev/zero", false).device = Device::zero;
    node_at("/dev/random", false).device = Device::random;
    node_at("/dev/urandom", false).device = Device::random;

    for (const Directory& directory : directories) {
        if (!directory.guest.starts_with('/'))
            throw std::invalid_argument("the program's name for a directory must begin with a slash: " +
                                        directory.guest);
        Node& node = node_at(directory.guest, true);
        if (node.host || node.device != Device::none)
            throw std::invalid_argument("two directories are named " + directory.guest + " for the program");
        HostDescriptor host(::open(directory.host.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
        if (!host)
            throw std::invalid_argument("cannot open the directory " + directory.host + ": " + std::strerror(errno));
        node.host = std::make_shared<HostDescriptor>(std::move(host));
        node.read_only = directory.read_only;
    }
    root_place_ = std::make_shared<Place>(Place{nullptr, "", root_.host, &root_, root_.read_only});
}

Sandbox::PlacePointer Sandbox::child(const PlacePointer& place, const std::string& name, const Node& node) const {
    return std::make_shared<Place>(Place{place, name, node.host, &node, node.read_only});
}

Sandbox::Target Sandbox::resolve(const PlacePointer& base, std::string_view path, bool follow) const {
    if (path.empty()) throw Errno{ENOENT};
    if (path.size() >= PATH_MAX) throw Errno{ENAMETOOLONG};
    Target target;
    PlacePointer place = path.front() == '/' ? root_place_ : base;
    std::vector<std::string> rest;
    target.must_be_directory = push(rest, path);
    int links = 0;

    while (!rest.empty()) {
        const std::string name = std::move(rest.back());
        rest.pop_back();
        const bool last = rest.empty();
        if (name == ".") continue;
        if (name == "..") {
            if (place->parent) place = place->parent;
            continue;
        }
        if (name.size() > NAME_MAX) throw Errno{ENAMETOOLONG};
        if (place->node) {
            if (const auto it = place->node->children.find(name); it != place->node->children.end()) {
                if (it->second.device == Device::none) {
                    place = child(place, name, it->second);
                    continue;
                }
                if (!last || target.must_be_directory) throw Errno{ENOTDIR};
                target.name = name;
                break;
            }
        }
        struct stat entry{};
        const bool exists =
            place->host && ::fstatat(place->host->get(), name.c_str(), &entry, AT_SYMLINK_NOFOLLOW) == 0;
        if (!exists) {
            const int error = place->host ? errno : ENOENT;
            if (!last || error != ENOENT) throw Errno{error};
            target.name = name;
            break;
        }
        if (S_ISLNK(entry.st_mode) && (!last || follow || target.must_be_directory)) {
            if (++links > most_links) throw Errno{ELOOP};
            const std::string text = read_link(place->host->get(), name);
            if (text.front() == '/') place = root_place_;
            const bool slash = push(rest, text);
            if (last && slash) target.must_be_directory = true;
            if (rest.size() > PATH_MAX) throw Errno{ENAMETOOLONG};
            continue;
        }
        if (last) {
            target.name = name;
            break;
        }
        if (!S_ISDIR(entry.st_mode)) throw Errno{ENOTDIR};
        auto below = std::make_shared<HostDescriptor>(open_directory(place->host->get(), name.c_str()));
        place = std::make_shared<Place>(Place{place, name, std::move(below), nullptr, place->read_only});
    }
    target.directory = std::move(place);
    return target;
}

Sandbox::PlacePointer Sandbox::enter(const Target& target) const {
    if (target.name.empty()) return target.directory;
    if (device(target)) throw Errno{ENOTDIR};
    if (!target.directory->host) throw Errno{ENOENT};
    auto below = std::make_shared<HostDescriptor>(open_directory(target.directory->host->get(), target.name.c_str()));
    return std::make_shared<Place>(
        Place{target.directory, target.name, std::move(below), nullptr, target.directory->read_only});
}

const Sandbox::Node* Sandbox::device(const Target& target) {
    if (target.name.empty() || !target.directory->node) return nullptr;
    const auto it = target.directory->node->children.find(target.name);
    return it == target.directory->node->children.end() ? nullptr : &it->second;
}

struct stat Sandbox::status(const Target& target) {
    struct stat entry{};
    if (!target.directory->host) throw Errno{ENOENT};
    const int directory = target.directory->host->get();
    const int result = target.name.empty() ? ::fstatat(directory, "", &entry, AT_EMPTY_PATH)
                                           : ::fstatat(directory, target.name.c_str(), &entry, AT_SYMLINK_NOFOLLOW);
    if (result != 0) throw Errno{errno};
    return entry;
}

HostDescriptor Sandbox::open_file(const Target& target, int flags, unsigned mode) {
    if (!target.directory->host) throw Errno{EACCES};  // nothing can be made in a directory that is only a name
    struct stat entry{};
    // Opening a device or a pipe may have effects, so it is looked at before; and after, because it may have changed.
    const int directory = target.directory->host->get();
    const bool exists = ::fstatat(directory, target.name.c_str(), &entry, AT_SYMLINK_NOFOLLOW) == 0;
    if (exists && !S_ISREG(entry.st_mode))
        throw Errno{S_ISLNK(entry.st_mode) ? ELOOP : S_ISDIR(entry.st_mode) ? EISDIR : EACCES};
    if (target.directory->read_only) {
        if ((flags & O_ACCMODE) != O_RDONLY || (!exists && flags & O_CREAT)) throw Errno{EROFS};
        flags &= ~O_CREAT;  // should it go away now, it is not made
    }
    HostDescriptor file(
        ::openat(directory, target.name.c_str(), flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, mode));
    if (!file) throw Errno{errno};
    if (::fstat(file.get(), &entry) != 0 || !S_ISREG(entry.st_mode)) throw Errno{EACCES};
    return file;
}

}  // namespace croftsim
