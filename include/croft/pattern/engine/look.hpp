#pragma once
// How a waiter looks at a flag (channel/wait.hpp), as one type: so roles can be asked through virtual functions whether
// there is something to do. It lives as long as the look it stands for.

#include <cstdint>
#include <type_traits>
#include <utility>

#include <croft/channel/flag.hpp>
#include <croft/memory/home.hpp>

namespace croft::detail {

template <class Policies>
class look {
    using word = typename Policies::template atomic<std::uint32_t>;
    using line_kind = decltype(std::declval<const typename Policies::home&>().at(part::message));

public:
    template <class Load>
        requires(!std::is_same_v<std::remove_const_t<Load>, look>)
    explicit look(Load& load)
        : load_(&load), call_([](void* how, const word& flag, const line_kind& lines) {
              return (*static_cast<std::remove_const_t<Load>*>(how))(flag, lines);
          }) {}

    std::uint32_t operator()(const word& flag, const line_kind& lines) const {
        return call_(const_cast<void*>(load_), flag, lines);
    }
    // Events that come without a line: over the machine's network.
    template <class Flag>
    auto operator()(const Flag& flag) const {
        return relaxed_load{}(flag);
    }

private:
    const void* load_;
    std::uint32_t (*call_)(void*, const word&, const line_kind&);
};

}  // namespace croft::detail
