# What `cmake --install` and the Python wheel install, and the packages that find_package(croft) and pkg-config find in
# either.
#
#                        cmake --install PREFIX     wheel (in site-packages)
#   headers              include/croft              croft/include/croft
#   CMake package        lib/cmake/croft            croft/lib/cmake/croft
#                        (croft::mpi there needs no option: it is headers, and MPI is looked for where it is asked for)
#   pkg-config           share/pkgconfig/croft.pc   croft/share/pkgconfig/croft.pc
#   module               share/croft/croft.cppm     croft/share/croft/croft.cppm
# with CROFT_COMPILED also
#   croft_compiled       lib/libcroft.a             croft/lib/libcroft.a
#   its pkg-config       lib/pkgconfig              croft/lib/pkgconfig
# and where the simulator is built, too
#   machine files        share/croft/machines       croft/share/croft/machines
#   programs' sources    share/croft/programs       croft/share/croft/programs
#   headers for these    share/croft/many_core      croft/share/croft/many_core
# and with CROFT_COPROCESSOR
#   croft::coprocessor   include/croft/coprocessor.hpp; lib/libcroftsim.a and the headers of its in include/croft_simulator
include(CMakePackageConfigHelpers)

if(SKBUILD)
  set(prefix croft/)
else()
  set(prefix "")
endif()
set(data ${prefix}share/croft)
set(package ${prefix}lib/cmake/croft)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/croft DESTINATION ${prefix}include)
install(FILES ${PROJECT_SOURCE_DIR}/modules/croft.cppm DESTINATION ${data})
if(CROFT_SIMULATOR)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/machines DESTINATION ${data} FILES_MATCHING PATTERN "*.toml")
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/programs DESTINATION ${data} FILES_MATCHING PATTERN "*.[ch]pp")
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/many_core DESTINATION ${data} FILES_MATCHING PATTERN "*.hpp")
endif()

# The headers' folder depends on who installs, so it is set here and not where the target is made.
target_include_directories(croft INTERFACE $<INSTALL_INTERFACE:${prefix}include>)
install(TARGETS croft EXPORT croftTargets)
set(architecture ARCH_INDEPENDENT)
if(CROFT_COMPILED)
  install(TARGETS croft_compiled EXPORT croftTargets ARCHIVE DESTINATION ${prefix}lib)
  set(architecture "")
  configure_file(${PROJECT_SOURCE_DIR}/cmake/croft_compiled.pc.in ${PROJECT_BINARY_DIR}/croft_compiled.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/croft_compiled.pc DESTINATION ${prefix}lib/pkgconfig)
endif()
if(CROFT_COPROCESSOR)
  set(architecture "")
  set(simulator_headers ${prefix}include/croft_simulator)
  install(FILES ${PROJECT_SOURCE_DIR}/host/croft/coprocessor.hpp DESTINATION ${prefix}include/croft)
  foreach(floor IN ITEMS base isa contract host)  # what croft/coprocessor.hpp includes
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/simulator/${floor} DESTINATION ${simulator_headers}
      FILES_MATCHING PATTERN "*.hpp" PATTERN "*.inc")
  endforeach()
  install(FILES ${PROJECT_SOURCE_DIR}/simulator/description/description_file.hpp
    DESTINATION ${simulator_headers}/description)
  target_include_directories(croftsim INTERFACE $<INSTALL_INTERFACE:${simulator_headers}>)
  target_include_directories(croft_coprocessor INTERFACE $<INSTALL_INTERFACE:${prefix}include>)
  set_target_properties(croftsim PROPERTIES EXPORT_NAME simulator)
  set_target_properties(croft_coprocessor PROPERTIES EXPORT_NAME coprocessor)
  install(TARGETS croftsim croft_coprocessor EXPORT croftCoprocessorTargets ARCHIVE DESTINATION ${prefix}lib)
  install(EXPORT croftCoprocessorTargets NAMESPACE croft:: DESTINATION ${package})
endif()
install(EXPORT croftTargets NAMESPACE croft:: DESTINATION ${package})

set(module ${data}/croft.cppm)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/croftConfig.cmake.in
  ${PROJECT_BINARY_DIR}/croftConfig.cmake INSTALL_DESTINATION ${package} PATH_VARS module)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/croftConfigVersion.cmake
  COMPATIBILITY SameMinorVersion ${architecture})
install(FILES ${PROJECT_BINARY_DIR}/croftConfig.cmake ${PROJECT_BINARY_DIR}/croftConfigVersion.cmake
  ${PROJECT_SOURCE_DIR}/cmake/croftMPI.cmake DESTINATION ${package})

# Its folders follow from its own place, so that a package can be moved.
configure_file(${PROJECT_SOURCE_DIR}/cmake/croft.pc.in ${PROJECT_BINARY_DIR}/croft.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/croft.pc DESTINATION ${prefix}share/pkgconfig)
