#pragma once
// An end of a channel or link between two processes, made in one of three ways. The user has named the way, or it
// follows from facts that both know (channel_options.hpp).

#include <type_traits>
#include <variant>

#include <croft/mpi/channel_options.hpp>
#include <croft/mpi/error.hpp>
#include <croft/mpi/framed_channel.hpp>
#include <croft/mpi/processes.hpp>

namespace croft::mpi::detail {

// Whether it may be carried in shared memory.
template <class Message>
inline constexpr bool may_be_shared = std::is_trivially_copyable_v<Message> && std::is_default_constructible_v<Message>;

// `InMemory`: void, if its messages cannot be shared.
template <class InMemory, class ByMessages, class ByPut>
class chosen_way {
    static constexpr bool may_share = !std::is_void_v<InMemory>;
    struct never {};
    using in_memory = std::conditional_t<may_share, InMemory, never>;

public:
    // Called by the two processes, with the same options. One of them sends, or asks, and the other receives. Throws
    // `error`.
    chosen_way(const processes& group, int sender, int receiver, const channel_options& options)
        : kind_(chosen(group, end_between(group, sender, receiver).peer, options.by)) {
        if constexpr (may_share)
            if (kind_ == kind::shared) {
                way_.template emplace<in_memory>(group, sender, receiver, options);
                return;
            }
        if (kind_ == kind::put)
            way_.template emplace<ByPut>(group, sender, receiver, options);
        else
            way_.template emplace<ByMessages>(group, sender, receiver, options);
    }

    kind by() const { return kind_; }
    // The cheapest way comes first, because it can least afford the look.
    template <class Call>
    [[gnu::always_inline]] decltype(auto) on(Call call) {
        if constexpr (may_share)
            if (auto* way = std::get_if<in_memory>(&way_)) [[likely]]
                return call(*way);
        if (auto* way = std::get_if<ByMessages>(&way_)) [[likely]]
            return call(*way);
        return call(*std::get_if<ByPut>(&way_));
    }
    template <class Call>
    decltype(auto) on(Call call) const {
        return const_cast<chosen_way*>(this)->on([&](const auto& way) { return call(way); });
    }

private:
    // By the same rule at both.
    static kind chosen(const processes& group, int peer, kind asked) {
        if (asked == kind::automatic) return may_share && group.on_this_node(peer) ? kind::shared : kind::persistent;
        if (asked == kind::shared && !may_share)
            throw error(at_rank(group) + "a message in shared memory is its bytes: it has to be trivially copyable",
                        group.rank());
        return asked;
    }

    kind kind_;
    std::variant<std::monostate, in_memory, ByMessages, ByPut> way_;
};

}  // namespace croft::mpi::detail
