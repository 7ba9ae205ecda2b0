#pragma once
// Which build of the simulator this is: a checkpoint holds its classes as they are in memory, so only the build that
// wrote one can go on with it. A digest of the sources and the compiler (cmake/build_identity.cmake).

namespace croftsim {

const char* build_identity();

}  // namespace croftsim
