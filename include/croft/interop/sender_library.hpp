#pragma once
// The library whose senders these are: C++26's where there is one, or else stdexec, if it is found. CROFT_HAS_SENDERS
// tells whether either is.

#include <version>

#if defined(__cpp_lib_senders)
#include <execution>
namespace croft::interop::detail {
namespace sender_names = std::execution;
namespace token_names = std;
}  // namespace croft::interop::detail
#define CROFT_HAS_SENDERS
#elif __has_include(<stdexec/execution.hpp>)
#include <stdexec/execution.hpp>
namespace croft::interop::detail {
namespace sender_names = stdexec;
namespace token_names = stdexec;
}  // namespace croft::interop::detail
#define CROFT_HAS_SENDERS
#endif

#if defined(CROFT_HAS_SENDERS)

namespace croft::interop {

// The names that sender_scheduler asks for. (The tags' names are those of P4154, which stdexec has as well.)
struct sender_library {
    using sender_tag = detail::sender_names::sender_tag;
    using scheduler_tag = detail::sender_names::scheduler_tag;
    using operation_state_tag = detail::sender_names::operation_state_tag;
    using set_value_t = detail::sender_names::set_value_t;
    using set_stopped_t = detail::sender_names::set_stopped_t;
    template <class... Signatures>
    using completion_signatures = detail::sender_names::completion_signatures<Signatures...>;
    template <class Tag>
    using get_completion_scheduler_t = detail::sender_names::get_completion_scheduler_t<Tag>;
    using get_forward_progress_guarantee_t = detail::sender_names::get_forward_progress_guarantee_t;
    static constexpr auto parallel = detail::sender_names::forward_progress_guarantee::parallel;

    template <class... Env>
    static constexpr bool unstoppable =
        sizeof...(Env) > 0 &&
        (detail::token_names::unstoppable_token<detail::token_names::stop_token_of_t<Env>> && ...);
    template <class Receiver>
    using environment_of = detail::sender_names::env_of_t<Receiver>;
    template <class Receiver>
    static bool stop_requested(const Receiver& receiver) noexcept {
        return detail::token_names::get_stop_token(detail::sender_names::get_env(receiver)).stop_requested();
    }
};

}  // namespace croft::interop

#endif
