#pragma once
// The identity of this build of the simulator: a digest of the sources and the compiler (cmake/build_identity.cmake). A
// checkpoint has the simulator's classes as they are in memory, so only the build that wrote one can go on with it.

namespace croftsim {

const char* build_identity();

}  // namespace croftsim
