#pragma once
// Offloads work from a native program to a pattern on a simulated co-processor (paper 003, IV.C). It has
// croft::accelerator's calls, with a TILEPro64 in place of the idle cores.
//
//     croft::coprocessor<int, long> squares({.program = "squares.elf", .machine = "tilepro64.flat"});
//     for (int n = 0; n < 100; ++n) squares.offload(n);        // waits only if 16 are waiting already
//     squares.close();
//     while (auto square = squares.get_result()) use(*square);
//
// The program is a static RISC-V one that serves the link (croft/pattern/serve.hpp), made by `croft build`; the machine
// is what `croft machines NAME --flat` prints. It is simulated in a thread of its own, from the constructor on. The
// results do not depend on when these calls are made. How many cycles the run takes does.
//
// Items are trivially copyable types, or std::vector<std::uint8_t> for messages of any length up to a slot of the link.
// Any thread may call. Once the program has failed, or has ended before its stream did, every call throws
// croftsim::HostEnded, and nobody waits any longer. Destroying it ends the simulation, and whatever is under way is
// lost.

#include <array>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <exception>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "contract/simulation.hpp"
#include "description/description_file.hpp"
#include "host/live_host.hpp"

namespace croft {

struct coprocessor_options {
    std::string program;                      // the executable's path
    std::string machine;                      // the description's path
    std::vector<std::string> arguments = {};  // of the program, beside its name
    std::uint32_t cores = 0;                  // that may hold a thread; 0: all of the machine
    std::uint32_t input_slots = 16, output_slots = 16;
};

template <class In, class Out>
class coprocessor {
    using bytes = std::vector<std::uint8_t>;
    template <class T>
    static constexpr bool is_item = std::is_same_v<T, bytes> || std::is_trivially_copyable_v<T>;
    static_assert(is_item<In> && is_item<Out>, "what crosses the link are bytes");

public:
    // Throws std::invalid_argument for a machine that cannot be, or has no link to a host; std::runtime_error if the
    // program cannot be read.
    explicit coprocessor(coprocessor_options options)
        : options_(std::move(options)),
          machine_(croftsim::read_machine_file(options_.machine)),
          elf_(read(options_.program)),
          host_({options_.input_slots, options_.output_slots}) {
        if (!machine_.host_link)
            throw std::invalid_argument("croft::coprocessor: " + machine_.name + " has no link to a host");
        thread_ = std::thread([this] { simulate(); });
    }
    ~coprocessor() {
        host_.stop();
        thread_.join();
    }
    coprocessor(const coprocessor&) = delete;
    coprocessor& operator=(const coprocessor&) = delete;

    // Waits for room. Throws std::length_error for a message longer than a slot, std::logic_error after close().
    void offload(const In& item) {
        bytes message = packed(item);
        while (!host_.offload(message, patience)) {
        }
    }
    // False if there is no room.
    bool try_offload(const In& item) {
        bytes message = packed(item);
        return host_.offload(message, {});
    }
    // Waits for a result; nothing at the end of the stream. Throws std::runtime_error for one that is no Out.
    std::optional<Out> get_result() {
        for (;;) {
            if (auto found = host_.get(patience)) return unpacked(std::move(*found));
            if (host_.exhausted()) return std::nullopt;
        }
    }
    // Nothing also if there is none now; ended() tells which.
    std::optional<Out> try_get_result() {
        auto found = host_.get({});
        return found ? std::optional<Out>(unpacked(std::move(*found))) : std::nullopt;
    }
    // Whether all results were taken.
    bool ended() const { return host_.exhausted(); }
    // The end of the stream: nothing is offloaded after it.
    void close() { host_.close(); }

private:
    static constexpr std::chrono::milliseconds patience{1000};

    static bytes read(const std::string& path) {
        std::ifstream file(path, std::ios::binary);
        if (!file) throw std::runtime_error("croft::coprocessor: the program " + path + " cannot be read");
        return {std::istreambuf_iterator<char>(file), {}};
    }
    bytes packed(const In& item) const {
        bytes message;
        if constexpr (std::is_same_v<In, bytes>) {
            message = item;
        } else {
            message.resize(sizeof(In));
            std::memcpy(message.data(), &item, sizeof(In));
        }
        if (message.size() > machine_.host_link->slot)
            throw std::length_error("croft::coprocessor: a message of " + std::to_string(message.size()) +
                                    " bytes is longer than a slot of the link");
        return message;
    }
    static Out unpacked(bytes message) {
        if constexpr (std::is_same_v<Out, bytes>) {
            return message;
        } else {
            if (message.size() != sizeof(Out))
                throw std::runtime_error("croft::coprocessor: a result of " + std::to_string(message.size()) +
                                         " bytes came, and an item has " + std::to_string(sizeof(Out)));
            std::array<std::uint8_t, sizeof(Out)> image;
            std::memcpy(image.data(), message.data(), sizeof(Out));
            return std::bit_cast<Out>(image);
        }
    }
    void simulate() {
        croftsim::RunOptions run;
        run.arguments = options_.arguments;
        run.arguments.insert(run.arguments.begin(), options_.program.substr(options_.program.find_last_of('/') + 1));
        run.cores = options_.cores;
        run.host = &host_;
        run.progress = [this](const croftsim::Progress&) { return !host_.stopping(); };
        try {
            croftsim::simulate(machine_, elf_, run);
        } catch (const std::exception&) {
            // The host was told, and so is whoever calls.
        }
    }

    const coprocessor_options options_;
    const croftsim::MachineDescription machine_;
    const bytes elf_;
    croftsim::LiveHost host_;
    std::thread thread_;
};

}  // namespace croft
