#pragma once
// What a borrowed thread is while it works for somebody: on a core of its own, under a name. Afterwards it is what it
// was.

#include <optional>
#include <string>

#include <croft/port/port.hpp>

namespace croft::detail {

class borrowed_as {
public:
    borrowed_as() = default;
    ~borrowed_as() {
        if (name_) port::name_this_thread(name_->c_str());
    }
    borrowed_as(const borrowed_as&) = delete;
    borrowed_as& operator=(const borrowed_as&) = delete;

    // It is going to be pinned.
    void leave_cores() { cores_.emplace(); }
    void name(const std::string& now) {
        if (!name_) name_ = port::name_of_this_thread();
        port::name_this_thread(now.c_str());
    }

private:
    std::optional<port::affinity_guard> cores_;
    std::optional<std::string> name_;
};

}  // namespace croft::detail
