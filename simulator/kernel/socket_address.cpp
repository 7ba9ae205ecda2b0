#include "kernel/socket_address.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "kernel/errno.hpp"

namespace croftsim {
namespace {

constexpr std::array<std::uint8_t, 12> mapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};  // what is before IPv4's bytes

bool is_mapped(const std::array<std::uint8_t, 16>& host) {
    return std::equal(mapped.begin(), mapped.end(), host.begin());
}

std::array<std::uint8_t, 16> mapped_host(std::array<std::uint8_t, 4> last) {
    std::array<std::uint8_t, 16> host{};
    std::ranges::copy(mapped, host.begin());
    std::ranges::copy(last, host.begin() + mapped.size());
    return host;
}

}  // namespace

SocketAddress SocketAddress::none_of(std::uint16_t family) {
    SocketAddress address;
    address.family = family;
    return address;
}

bool SocketAddress::is_any() const {
    return host == std::array<std::uint8_t, 16>{} || host == mapped_host({0, 0, 0, 0});
}

SocketAddress SocketAddress::seen_by(std::uint16_t other) const {
    SocketAddress seen = *this;
    if (family != local && is_set()) seen.family = other;
    return seen;
}

SocketAddress SocketAddress::of(std::span<const std::uint8_t> bytes) {
    SocketAddress address;
    if (bytes.size() < sizeof address.family) throw Errno{EINVAL};
    std::memcpy(&address.family, bytes.data(), sizeof address.family);
    const auto rest = bytes.subspan(sizeof address.family);
    if (address.family == local) {
        constexpr std::size_t longest = 108;
        if (rest.size() > longest) throw Errno{EINVAL};
        // A path ends with a zero; a name that begins with one has the length that it is given.
        const auto end = !rest.empty() && rest[0] == 0 ? rest.end() : std::ranges::find(rest, 0);
        address.name.assign(rest.begin(), end);
        return address;
    }
    if (address.family != inet && address.family != inet6) return address;
    if (bytes.size() < (address.family == inet ? 16 : 24)) throw Errno{EINVAL};
    address.port = static_cast<std::uint16_t>(bytes[2] << 8 | bytes[3]);
    if (address.family == inet)
        address.host = mapped_host({bytes[4], bytes[5], bytes[6], bytes[7]});
    else
        std::copy_n(bytes.begin() + 8, address.host.size(), address.host.begin());
    return address;
}

std::string SocketAddress::bytes() const {
    std::string made(sizeof family, 0);
    std::memcpy(made.data(), &family, sizeof family);
    if (family == local) {
        made += name;
        if (!name.empty() && name[0] != 0) made += '\0';
    } else if (family == inet || family == inet6) {
        made.resize(family == inet ? 16 : 28);
        made[2] = static_cast<char>(port >> 8);
        made[3] = static_cast<char>(port & 0xff);
        if (family == inet)
            std::copy(host.begin() + mapped.size(), host.end(), made.begin() + 4);
        else
            std::copy(host.begin(), host.end(), made.begin() + 8);
    }
    return made;
}

SocketAddress SocketAddress::loopback(std::uint16_t family, std::uint16_t port) {
    SocketAddress address = none_of(family);
    address.port = port;
    if (family == inet)
        address.host = mapped_host({127, 0, 0, 1});
    else
        address.host.back() = 1;
    return address;
}

SocketAddress SocketAddress::any(std::uint16_t family, std::uint16_t port) {
    SocketAddress address = none_of(family);
    address.port = port;
    if (family == inet) address.host = mapped_host({0, 0, 0, 0});
    return address;
}

void SocketAddress::check_is_here(int error) const {
    constexpr std::uint8_t loopback_net = 127;
    if (family == local || is_any() || host == loopback(inet6, 0).host) return;
    if (!is_mapped(host) || host[mapped.size()] != loopback_net) throw Errno{error};
}

}  // namespace croftsim
