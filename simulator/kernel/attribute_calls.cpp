// System calls on extended attributes of files: no file has any, and none can be given one.

#include <algorithm>

#include "kernel/system.hpp"

namespace croftsim {
namespace {

// Throws Errno if there is no such file.
void find_path(System& system, std::uint64_t path, bool follow) {
    system.files.status(system.files.resolve(abi::at_cwd, system.user.string(path), follow));
}

void check_attribute(System& system, std::uint64_t address) {
    constexpr std::size_t longest = 255;
    std::string name;
    try {
        name = system.user.string(address, longest + 1);
    } catch (const Errno& error) {
        throw Errno{error.code == ENAMETOOLONG ? ERANGE : error.code};
    }
    if (name.empty()) throw Errno{ERANGE};
    for (const char* space : {"user.", "security.", "system.", "trusted."})
        if (name.starts_with(space)) return;
    throw Errno{EOPNOTSUPP};
}

void find_file(System& system, const Call& call) {
    constexpr std::uint64_t no_follow[] = {6, 9, 12, 15}, open_file[] = {7, 10, 13, 16};
    if (std::ranges::count(open_file, call.number))
        system.files.get(static_cast<std::int32_t>(call.a[0]));
    else
        find_path(system, call.a[0], !std::ranges::count(no_follow, call.number));
}

}  // namespace

namespace calls {

Result set_attribute(System& system, const Call& call) {
    check_attribute(system, call.a[1]);
    find_file(system, call);
    return -EOPNOTSUPP;
}

Result get_attribute(System& system, const Call& call) {
    check_attribute(system, call.a[1]);
    find_file(system, call);
    return -ENODATA;
}

Result list_attributes(System& system, const Call& call) {
    find_file(system, call);
    return 0;
}

}  // namespace calls
}  // namespace croftsim
