#include <algorithm>
#include <cstring>
#include <initializer_list>

#include "kernel/system.hpp"

namespace croftsim::calls {

Result succeed(System&, const Call&) { return 0; }
Result refuse(System&, const Call&) { return -EPERM; }
Result not_implemented(System&, const Call&) { return -ENOSYS; }  // and libc knows what to do without
Result no_children(System&, const Call&) { return -ECHILD; }

Result getuid(System&, const Call&) { return System::user_id; }

Result getresuid(System& system, const Call& call) {
    for (int i = 0; i < 3; ++i) system.user.put(call.a[i], System::user_id);
    return 0;
}

Result getgroups(System& system, const Call& call) {
    if (call.a[0]) system.user.put(call.a[1], System::user_id);
    return 1;
}

Result getpriority(System&, const Call&) { return 20; }  // 20 minus a niceness of 0

Result uname(System& system, const Call& call) {
    char names[6][65] = {"Linux", "croft", "6.1.0", "#1 SMP", "riscv64", "(none)"};
    system.user.put(call.a[0], names);
    return 0;
}

Result sysinfo(System& system, const Call& call) {
    struct Info {
        std::int64_t uptime;
        std::uint64_t loads[3], total, free, shared, buffers, swap_total, swap_free;
        std::uint16_t processes, pad;
        std::uint64_t high_total, high_free;
        std::uint32_t unit;
    } info{};
    static_assert(sizeof(Info) == 112);
    info.uptime = as_time(system.clock.nanoseconds(system.machine.now())).seconds;
    info.total = System::memory_bytes;
    info.free = System::memory_bytes - std::min(System::memory_bytes, system.memory.open_bytes());
    info.processes = static_cast<std::uint16_t>(system.threads.size());
    info.unit = 1;
    system.user.put(call.a[0], info);
    return 0;
}

Result getrandom(System& system, const Call& call) {
    const auto [address, length, flags, x, y, z] = call.a;
    if (flags & ~std::uint64_t{7}) return -EINVAL;
    const std::uint64_t bytes = std::min<std::uint64_t>(length, 1 << 20);
    system.user.check(address, bytes, Permission::write);
    std::vector<std::uint8_t> random(bytes);
    system.random.fill(random);
    system.user.write(address, random);
    return static_cast<std::int64_t>(bytes);
}

Result prctl(System& system, const Call& call) {
    constexpr std::uint64_t set_name = 15, get_name = 16, set_no_new_privileges = 38, set_vma = 0x53564d41;
    switch (call.a[0]) {
        case set_name: {
            std::array<std::uint8_t, 16>& name = call.thread.name;
            const std::uint64_t readable = system.user.accessible(call.a[1], name.size(), Permission::read);
            std::array<std::uint8_t, 16> text{};
            system.user.read(call.a[1], {text.data(), std::max<std::uint64_t>(readable, 1)});
            name = {};
            std::copy(text.begin(), std::find(text.begin(), text.end() - 1, 0), name.begin());
            return 0;
        }
        case get_name:
            system.user.put(call.a[1], call.thread.name);
            return 0;
        case set_no_new_privileges:
        case set_vma:
            return 0;
        default:
            return -EINVAL;
    }
}

Result membarrier(System&, const Call& call) {
    constexpr std::uint64_t query = 0;
    return call.a[0] == query ? 0 : -EINVAL;  // there are no commands
}

// The bits that <asm/hwprobe.h> gives extensions.
constexpr std::uint64_t extensions_of(std::initializer_list<int> bits) {
    std::uint64_t all = 0;
    for (const int bit : bits) all |= std::uint64_t{1} << bit;
    return all;
}

// Documentation/arch/riscv/hwprobe.rst
Result riscv_hwprobe(System& system, const Call& call) {
    struct Pair {
        std::int64_t key;
        std::uint64_t value;
    };
    const auto [pairs, count, cpu_bytes, cpus, flags, unused] = call.a;
    if (flags || count > 1024) return -EINVAL;
    constexpr std::uint64_t extensions = extensions_of({
        0,  1,  3,  4,  5,  6,   // FD, C, Zba, Zbb, Zbs, Zicboz
        16, 28, 29, 32, 34, 35,  // Zkt, Zfhmin, Zihintntl, Zfa, Zacas, Zicond
        36, 42, 43, 44, 45, 47,  // Zihintpause, Zimop, Zca, Zcb, Zcd, Zcmop
        48, 50, 51, 55, 56, 57,  // Zawrs, Zicntr, Zihpm, Zicbom, Zaamo, Zalrsc
        58,                      // Zabha
    });
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t at = pairs + i * sizeof(Pair);
        auto pair = system.user.get<Pair>(at);
        switch (pair.key) {
            case 0:
            case 1:
            case 2:
                pair.value = 0;
                break;  // vendor, architecture, implementation
            case 3:
                pair.value = 1;
                break;  // the base behaviour: IMA
            case 4:
                pair.value = extensions;
                break;
            case 5:
            case 9:
                pair.value = 3;
                break;  // misaligned accesses are fast
            case 6:
            case 12:
                pair.value = 64;
                break;  // the block of Zicboz and of Zicbom
            case 7:
                pair.value = AddressSpace::limit - 1;
                break;  // the highest address
            case 8:
                pair.value = system.clock.hertz();
                break;  // the time CSR counts cycles
            default:
                pair = {-1, 0};
                break;
        }
        system.user.put(at, pair);
    }
    return 0;
}

Result riscv_flush_icache(System& system, const Call&) {
    system.machine.synchronise_instructions();
    return 0;
}

}  // namespace croftsim::calls
