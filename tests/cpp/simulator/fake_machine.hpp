#pragma once
// A machine without time or instructions, for tests of the kernel. It keeps what is written coherently in a cache of
// its own until the kernel says that pages have changed. So a kernel that forgets to say so reads stale bytes.

#include <doctest/doctest.h>

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "contract/machine_services.hpp"
#include "memory/address_space.hpp"

namespace croftsim {

class FakeMachine final : public MachineServices {
public:
    enum class Core : std::uint8_t { idle, runs, in_kernel };

    FakeMachine(AddressSpace& memory, std::uint32_t cores, double mhz = 1000)
        : memory_(memory), mhz_(mhz), harts(cores), states(cores) {}

    std::uint64_t now() const override { return time; }
    double clock_mhz() const override { return mhz_; }
    const KernelDescription& costs() const override { return kernel; }
    std::uint32_t cores() const override { return static_cast<std::uint32_t>(harts.size()); }
    std::uint32_t tiles() const override { return cores(); }
    std::uint32_t controllers() const override { return 4; }
    Hart& hart(std::uint32_t core) override { return harts.at(core); }

    void read(std::uint64_t address, std::span<std::uint8_t> to) override {
        REQUIRE(memory_.allows(address, to.size(), Permission::none));
        memory_.read_dram(address, to.data(), to.size());
        for (auto it = cache_.lower_bound(address); it != cache_.end() && it->first < address + to.size(); ++it)
            to[it->first - address] = it->second;
    }
    void write(std::uint64_t address, std::span<const std::uint8_t> from) override {
        REQUIRE(memory_.allows(address, from.size(), Permission::none));
        for (std::size_t i = 0; i < from.size(); ++i) cache_[address + i] = from[i];
    }

    void device_read(std::uint64_t address, std::span<std::uint8_t> to) override { read(address, to); }
    void device_write(std::uint64_t address, std::span<const std::uint8_t> from) override { write(address, from); }
    const HostLinkDescription* host_link() const override { return link ? &*link : nullptr; }

    void start(std::uint32_t core, const Hart& hart) override {
        REQUIRE(states.at(core) == Core::idle);
        states[core] = Core::runs;
        harts[core] = hart;
    }
    void resume(std::uint32_t core) override {
        REQUIRE(states.at(core) == Core::in_kernel);
        states[core] = Core::runs;
        resumed.push_back(core);
    }
    void futex_releases(std::uint64_t) override {}
    void futex_acquires(std::uint32_t, std::uint64_t) override {}
    void vacate(std::uint32_t core) override {
        REQUIRE(states.at(core) == Core::in_kernel);
        states[core] = Core::idle;
    }
    void moved(std::uint32_t, std::uint32_t) override {}
    void call(std::uint32_t core) override { called.push_back(core); }
    void stop_at_fault(std::uint32_t) override {}
    void go_on(std::uint32_t core, const Hart& hart, std::uint32_t) override { start(core, hart); }
    void address_space_changes(std::uint64_t address, std::uint64_t bytes, bool discard) override {
        const auto first = cache_.lower_bound(address), last = cache_.lower_bound(address + bytes);
        if (!discard)
            for (auto it = first; it != last; ++it) memory_.write_dram(it->first, &it->second, 1);
        cache_.erase(first, last);
    }
    bool is_used(std::uint64_t address, std::uint64_t bytes) override {
        if (const auto it = cache_.lower_bound(address); it != cache_.end() && it->first < address + bytes) return true;
        for (std::uint64_t at = address; at < address + bytes; at += AddressSpace::page_bytes)
            if (const Page* page = memory_.find(at); page && page->dram) return true;
        return false;
    }
    void count_requests(std::uint64_t, std::uint64_t) override {}
    bool begin_region() override { return !std::exchange(in_region, true); }
    bool end_region() override { return std::exchange(in_region, false); }
    void synchronise_instructions() override { ++synchronisations; }

private:
    AddressSpace& memory_;
    double mhz_;
    std::map<std::uint64_t, std::uint8_t> cache_;

public:
    std::uint64_t time = 0;
    std::vector<Hart> harts;
    std::vector<Core> states;
    std::vector<std::uint32_t> resumed, called;  // in order
    KernelDescription kernel;
    int synchronisations = 0;
    bool in_region = false;
    std::optional<HostLinkDescription> link;
};

}  // namespace croftsim
