# An overlay port of the source tree it lies in: vcpkg install croft --overlay-ports=packaging/vcpkg
set(VCPKG_BUILD_TYPE release) # headers are the same for every configuration

vcpkg_cmake_configure(
    SOURCE_PATH "${CURRENT_PORT_DIR}/../../.."
    OPTIONS
        -DCROFT_SIMULATOR=OFF
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/croft)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/lib")

file(INSTALL "${CURRENT_PORT_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${CURRENT_PORT_DIR}/../../../LICENSE")
