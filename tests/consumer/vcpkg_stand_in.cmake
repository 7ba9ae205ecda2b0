# Runs a port without vcpkg: cmake -DPORTS=... -DPORT=... -DCURRENT_PACKAGES_DIR=... -DBUILD=... -P vcpkg_stand_in.cmake
# Each command does what vcpkg's does for a port of one configuration, as far as croft's port uses it.
function(vcpkg_cmake_configure)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" SOURCE_PATH OPTIONS)
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${arg_SOURCE_PATH} -B ${BUILD} -G Ninja -DCMAKE_BUILD_TYPE=Release
    -DCMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR} ${arg_OPTIONS} COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
endfunction()

function(vcpkg_cmake_install)
  execute_process(COMMAND ${CMAKE_COMMAND} --build ${BUILD} --target install COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
endfunction()

# CMake's files go to share/PORT, two folders below the prefix that they look for.
function(vcpkg_cmake_config_fixup)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" CONFIG_PATH "")
  set(to ${CURRENT_PACKAGES_DIR}/share/${PORT})
  file(GLOB files ${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH}/*)
  file(COPY ${files} DESTINATION ${to})
  file(REMOVE_RECURSE ${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH})
  set(up [[get_filename_component(_IMPORT_PREFIX "${_IMPORT_PREFIX}" PATH)]])
  file(GLOB files ${to}/*.cmake)
  foreach(file ${files})
    file(READ ${file} text)
    string(REPLACE "${up}\n${up}\n${up}\n" "${up}\n${up}\n" text "${text}")
    string(REPLACE "/../../../" "/../../" text "${text}")
    file(WRITE ${file} "${text}")
  endforeach()
endfunction()

function(vcpkg_fixup_pkgconfig)
  file(GLOB found ${CURRENT_PACKAGES_DIR}/share/pkgconfig/*.pc ${CURRENT_PACKAGES_DIR}/lib/pkgconfig/*.pc)
  if(NOT found)
    message(FATAL_ERROR "${PORT} has installed no file for pkg-config")
  endif()
endfunction()

function(vcpkg_install_copyright)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" FILE_LIST)
  file(COPY_FILE ${arg_FILE_LIST} ${CURRENT_PACKAGES_DIR}/share/${PORT}/copyright)
endfunction()

set(CURRENT_PORT_DIR ${PORTS}/${PORT})
include(${CURRENT_PORT_DIR}/portfile.cmake)
