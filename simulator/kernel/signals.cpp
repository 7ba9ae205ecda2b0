#include "kernel/signals.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace croftsim {
namespace {

constexpr const char* names[] = {"none",     "SIGHUP",  "SIGINT",    "SIGQUIT", "SIGILL",  "SIGTRAP",   "SIGABRT",
                                 "SIGBUS",   "SIGFPE",  "SIGKILL",   "SIGUSR1", "SIGSEGV", "SIGUSR2",   "SIGPIPE",
                                 "SIGALRM",  "SIGTERM", "SIGSTKFLT", "SIGCHLD", "SIGCONT", "SIGSTOP",   "SIGTSTP",
                                 "SIGTTIN",  "SIGTTOU", "SIGURG",    "SIGXCPU", "SIGXFSZ", "SIGVTALRM", "SIGPROF",
                                 "SIGWINCH", "SIGIO",   "SIGPWR",    "SIGSYS"};

}  // namespace

std::string name_of_signal(std::uint32_t signal) {
    return signal < std::size(names) ? names[signal] : "signal " + std::to_string(signal);
}

std::array<std::uint8_t, 128> SignalInfo::bytes() const {
    std::array<std::uint8_t, 128> all{};
    std::memcpy(all.data(), this, sizeof *this);
    return all;
}

void PendingSignals::add(const SignalInfo& info) {
    if (info.signal < first_realtime_signal && (set() & set_of(info.signal))) return;
    infos_.push_back(info);
}

SignalSet PendingSignals::set() const {
    SignalSet all = 0;
    for (const SignalInfo& info : infos_) all |= set_of(info.signal);
    return all;
}

std::optional<SignalInfo> PendingSignals::take(SignalSet allowed) {
    auto first = infos_.end();
    for (auto it = infos_.begin(); it != infos_.end(); ++it)
        if ((allowed & set_of(it->signal)) && (first == infos_.end() || it->signal < first->signal)) first = it;
    if (first == infos_.end()) return std::nullopt;
    const SignalInfo taken = *first;
    infos_.erase(first);
    return taken;
}

void PendingSignals::forget(std::uint32_t signal) {
    std::erase_if(infos_, [signal](const SignalInfo& info) { return info.signal == signal; });
}

}  // namespace croftsim
