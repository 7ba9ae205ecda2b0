"""Conan 2: ``conan create packaging/conan`` makes a package of the library of this source tree."""

import re
from pathlib import Path

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rmdir

required_conan_version = ">=2.0"


class Croft(ConanFile):
    name = "croft"
    description = "Fine-grained parallelism in which every piece of shared data has a home"
    license = "Apache-2.0"
    topics = ("parallel", "channels", "farm", "work-stealing", "header-only")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"

    def _root(self):
        return str(Path(self.recipe_folder).parents[1])

    def set_version(self):
        text = load(self, str(Path(self._root()) / "CMakeLists.txt"))
        self.version = re.search(r"project\(croft VERSION ([0-9.]+)", text)[1]

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "modules/*", "src/*"):
            copy(self, pattern, self._root(), self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def package_id(self):
        self.info.clear()

    def validate(self):
        check_min_cppstd(self, 20)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["CROFT_SIMULATOR"] = False
        toolchain.generate()

    def build(self):
        CMake(self).configure()

    def package(self):
        copy(self, "LICENSE", self.source_folder, str(Path(self.package_folder) / "licenses"))
        CMake(self).install()
        for made_by_conan in ("lib", "share"):  # the files of CMake's package and of pkg-config
            rmdir(self, str(Path(self.package_folder) / made_by_conan))

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "croft")
        self.cpp_info.set_property("cmake_target_name", "croft::croft")
        self.cpp_info.set_property("pkg_config_name", "croft")
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        if self.settings.os == "Linux":
            self.cpp_info.system_libs = ["pthread"]
