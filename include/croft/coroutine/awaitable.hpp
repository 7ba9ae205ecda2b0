#pragma once
// A coroutine is given this to await: it tells how its awaiter is made. It can be moved until it is awaited, because
// code that makes a sender of it wants that. The awaiter cannot, because others know where it is.

#include <tuple>
#include <utility>

namespace croft::detail {

// Each part is a reference, or a value that the awaiter is to have.
template <class Awaiter, class... Parts>
class awaitable {
public:
    explicit awaitable(Parts&&... parts) : parts_(std::forward<Parts>(parts)...) {}
    Awaiter operator co_await() && {
        return std::apply([](auto&&... part) { return Awaiter(std::forward<decltype(part)>(part)...); },
                          std::move(parts_));
    }

private:
    std::tuple<Parts...> parts_;
};

}  // namespace croft::detail
