#pragma once
// The cores that a channel lies between, and the core at which its pattern wants its lines. A home policy and the
// channels over the network have to know them. A pattern that pins its roles knows; others leave them out, and the
// machine chooses.

namespace croft::detail {

inline constexpr int any_core = -1;

struct ends {
    int sender = any_core;
    int receiver = any_core;
    int home = any_core;  // named by the pattern: in a farm the worker, for the channels on both of its sides
};

}  // namespace croft::detail
