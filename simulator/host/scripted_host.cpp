#include "host/scripted_host.hpp"

#include <stdexcept>
#include <utility>

namespace croftsim {

ScriptedHost::ScriptedHost(Script script) : script_(std::move(script)) {
    if (script_.count > 0 && script_.messages.empty())
        throw std::invalid_argument("a script of " + std::to_string(script_.count) + " messages has none to send");
}

std::uint64_t ScriptedHost::next(std::uint64_t) { return ended() ? never : taken_ * script_.every; }

std::vector<std::uint8_t> ScriptedHost::take() { return script_.messages[taken_++ % script_.messages.size()]; }

void ScriptedHost::deliver(std::vector<std::uint8_t> result, std::uint64_t now) {
    results_.push_back({now, std::move(result)});
}

}  // namespace croftsim
