#pragma once
// While a borrowed thread works for somebody, it is on a core of its own, under a name. Afterwards it has its old cores
// and name.

#include <cstddef>
#include <cstdio>
#include <new>
#include <optional>
#include <string>

#include <croft/port/port.hpp>

namespace croft::detail {

class borrowed_as {
public:
    borrowed_as() = default;
    ~borrowed_as() {
        if (!name_.empty()) port::name_this_thread(name_.c_str());
    }
    borrowed_as(const borrowed_as&) = delete;
    borrowed_as& operator=(const borrowed_as&) = delete;

    // True, and from now on where it runs is put back; false if there is no memory for that, and it has to stay there.
    bool may_be_pinned() noexcept {
        try {
            cores_.emplace();
        } catch (const std::bad_alloc&) {
        }
        return cores_.has_value();
    }
    // NAME-NUMBER, cut if it is too long for the system.
    void name(const char* as, std::size_t number) {
        if (name_.empty()) name_ = port::name_of_this_thread();
        char now[64];
        std::snprintf(now, sizeof now, "%s-%zu", as, number);
        port::name_this_thread(now);
    }

private:
    std::optional<port::affinity_guard> cores_;
    std::string name_;  // (of 15 characters, which take no memory of their own)
};

}  // namespace croft::detail
