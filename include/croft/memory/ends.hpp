#pragma once
// Which cores a channel lies between, and at which the pattern that it is part of wants its lines: what a home policy
// and the channels over the network have to know. A pattern that pins its roles knows; whoever does not leaves them
// out, and the machine chooses.

namespace croft {

inline constexpr int any_core = -1;

struct ends {
    int sender = any_core;
    int receiver = any_core;
    int home = any_core;  // named by the pattern: in a farm the worker, for the channels on both of its sides
};

}  // namespace croft
