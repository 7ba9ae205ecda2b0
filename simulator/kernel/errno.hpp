#pragma once
// A system call that fails: thrown by what implements it, returned to the program as -code in a0.

namespace croftsim {

struct Errno {
    int code;  // positive
};

}  // namespace croftsim
