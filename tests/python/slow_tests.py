"""Which tests `make test` leaves to `make test-all`, and what each would cost it.

One that stays stands for each of them: the same program or page on another machine, kernel or channel, or the same
library under another compiler.
"""

import re

SLOW = {
    # Compiles the library, or a page's programs, once more.
    r"test_headers\.py::test_each_header_alone\[(?!0-)": "each header with each compiler; the first few stay",
    r"test_packages\.py::": "builds and installs packages for Conan, vcpkg and CMake",
    r"test_installation\.py::": "builds and installs consumers of the installed library",
    r"test_code_blocks\.py::": "compiles every block of code of the documentation",
    r"test_documented_programs\.py::": "builds each page's program, here and simulated; the README's farm stays",
    r"test_programs\.py::test_an_unreadable_picture": "builds the filter of photographs for this host",
    r"test_experiments\.py::test_a_sweep_tells": "waits for a program that another test builds",
    r"test_native_coprocessor\.py::": "links the whole simulator into a native program, twice",
    r"test_thread_sanitizer\.py::": "builds patterns, channels and tasks under ThreadSanitizer",
    r"test_together\.py::": "builds croft beside oneTBB, OpenMP and coroutines",
    r"test_module\.py::": "builds the module with another compiler",
    r"test_examples\.py::": "builds the examples and the forms of their peers",
    r"test_site\.py::": "writes the whole site",
    r"test_speedscope\.py::": "installs speedscope, and opens whole profiles in it",
    r"test_notebooks\.py::test_a_notebook_prints": "every cell of the notebooks of docs/",
    r"test_bad_programs\.py::test_a_dynamic_elf": "lets the compiler build another C library",
    r"test_.*natively": "builds for this host what the same file runs simulated",
    # Runs long programs on a simulated machine, or programs that nothing else needs.
    r"test_advise\.py::test_what_is_expected_is_measured\[(the papers|matrices)": "the papers' baselines; others stay",
    r"test_seeing\.py::(?!test_the_pieces)": "every command of the page, and every cell of its table",
    r"test_trace\.py::.*\[(messages|stealing)|test_trace\.py::test_(a_profile_and|what_finds|a_disk)": (
        "more programs, each built twice; tasks and interrupts stay"
    ),
    r"test_trace_processor\.py::(?!test_slices_add_up.*\[messages|test_intervals)": "the same of more programs",
    r"test_report_page\.py::(?!test_what_cannot)": "the page of the demo's run, in a browser",
    r"test_profile\.py::test_(every_format|a_stripped|pprof)": "every format, and programs of one's own",
    r"test_live\.py::test_(who_watches.*(mesi|gwb)|samples|what_is_printed)": "more machines; one run is watched",
    r"test_debug_information\.py::.*(version_4|variables)": "pyelftools takes long; C and C++ as they are built stay",
    r"test_task_mutants\.py::(?!.*\[deques-None)": "mutants of all run-times; what they are made of stays",
    r"test_native_trace\.py::": "builds for this host, with a trace and without",
    r"test_trace_marks\.py::.*(mesi|gwb)": "the same on other machines",
    r"test_trace_marks\.py::test_every_(message|stolen)(?!.*\[(ra|answers|lamport)-tile)": "as many kinds again",
    r"test_lines\.py::.*(interrupts|stealing)-big-tiny-64-gwb": "the same on one more machine",
    r"test_report_findings\.py::test_clean_programs\[(farm|map|cilk5)": "croft's own programs; smaller ones stay",
    r"test_checkpoint\.py::test_ten_stops": "stops some fifty runs at ten places each; one stop in a few of them stays",
    r"test_bad_programs\.py::test_damaged_tables": "hundreds of damaged files, of which `make fuzz` tries more",
    r"test_cluster\.py::(?!test_workers_come|test_no_scheduler|test_the_example)": "kills workers and clients",
    r"test_sweeps\.py::test_the_commands": "each command once more, as a process",
    r"test_page_changes\.py::test_a_thread_sees.*(8 32|dnv|gwt)": "the same in other ways; the hardest stays",
    r"test_mixed_machines\.py::test_out_of_order_cores_keep.*task_data": "the longest of three programs",
    r"test_maps\.py::": "large programs, one for each kind of map and run-time",
    r"test_homes\.py::": "large programs, here and simulated",
    r"test_patterns\.py::": "every pattern in one program, on several machines; a farm over channels stays",
    r"test_channels\.py::(?!test_messages_arrive.*-1\])": "each kind of channel in each program; every kind stays once",
    r"test_programs\.py::test_requests_for_the_lines": "counts the messages of a farm of 32 workers",
    r"test_programs\.py::test_a_photograph": "what `make demo` does",
    r"test_mixed_machines\.py::test_messages_of_programs": "channels on big.TINY, which mostly compiles",
    r"test_mixed_machines\.py::test_private_l2s.*(-gwt\]|arguments[34]-)": "private L2s of the other protocol, or long",
    r"test_mixed_machines\.py::test_(thieves|tiles_may).*(paper_|coherence_stress)": "other run-times on those tiles",
    r"test_graph_kernels\.py::(?!test_every_kernel.*mesi-shared_deques-bfs\]|test_every_format)": (
        "nine kernels on eight machines; breadth-first search stays on one"
    ),
    r"test_tasks\.py::.*\[64-": "each run-time on 64 cores of each machine; fewer cores stay",
    r"test_litmus\.py::test_nor_in_many": "the litmus tests again, with sixteen times as many samples",
    r"test_races\.py::.*\[library_": "as many things of the library again; those that programs build themselves stay",
    r"test_races\.py::.*\[own_.*(tilepro64|o3x4)": "what programs build themselves, on other machines",
    r"test_fast_forward\.py::test_a_program.*\[(shared_deques|direct|lu|sorted)": "more programs on every machine",
    r"test_analyze\.py::test_what_cannot": "builds a program four times",
    r"test_bad_programs\.py::test_a_program_may_not_use_more": "fills 64 MiB of a machine's memory, word by word",
    r"test_races_everywhere\.py::.*\[(?!mutex-.*tile|cilk5/q.*shared_deques-.*mesi|threads-.*o3x4)": (
        "every program by every run-time; of each kind of machine one stays"
    ),
    r"test_digests\.py::.*\[(coprocessor|task_data|channels|farm|map|.*256)": "long, or programs of their own",
    r"test_determinism\.py::test_where_an_interrupt": "interrupts at every distance, on each machine",
    r"test_kept_runs\.py::test_experiments_with_small": "every experiment, with small inputs",
}


WORTH = {
    r"test_litmus\.py::": "a hundred litmus tests on every kind of machine, against what RISC-V allows",
    r"test_(library_)?races": "whether accesses race, which no other test knows of programs, and whether the check knows",
    r"test_digests\.py::": "every kind of machine and run-time, to the last count",
    r"test_(profile|trace\w*|lines|channel_counts|advise|line_homes)\.py::": "what is recorded, and adds up",
    r"test_report_(findings|page)\.py::": "what a report says of planted faults, and its page in a browser",
    r"test_notebooks\.py::": "what a notebook shows of a run, with figures and without",
    r"test_fast_forward\.py::": "what comes before a region, and whether its caches are as warm as they would be",
    r"test_shared_cache\.py::test_no_word": "episodes without races, which see whether any protocol loses a write",
    r"test_shared_cache\.py::": "the machines of paper 002, in parts and together",
    r"test_mixed_machines\.py::": "machines put together from parts of others, which meet here alone",
    r"test_determinism\.py::": "that no cycle depends on how the host runs",
    r"test_bad_programs\.py::": "files with damage that no user should see more of than a sentence",
    r"test_debug_information\.py::": "every address of a program, against another reader of its tables",
    r"test_programs\.py::": "whole programs in files and pictures, of which others in this file share the build",
    r"test_experiments\.py::": "one experiment from its runs to its picture",
    r"test_kept_runs\.py::": "that a run is kept, and done again when it has to be",
    r"test_coprocessor\.py::": "a host beside the machine, the only test of what crosses the link",
    r"test_documentation\.py::": "the README's farm as it is printed, and every statistic",
    r"test_machine_file\.py::test_the_simulator_builds": "random machine files, all of which can be built",
    r"test_tasks\.py::": "each run-time that schedules tasks, on real programs",
    r"test_channels\.py::": "each kind of channel, with stale data shown",
    r"test_checkpoint\.py::": "a run that goes on otherwise than if it had not been stopped",
    r"test_intervals\.py::": "statistics over time that do not add up to the run's",
    r"test_graph_kernels\.py::": "a graph kernel against another program",
    r"test_patterns\.py::": "a pattern on simulated threads",
    r"test_headers\.py::": "a header that does not stand alone",
    r"test_shared_objects\.py::": "a plugin that would crash its host, and threads that cannot be had",
    r"test_installation\.py::|test_packages\.py::": "croft as its users install it",
}
"""Why a test that `make test` keeps is worth its time; said of the ten that take longest."""


def why_worth(test: str) -> str:
    """The reason for which a test that takes long is run, given by its node's name; "" if none is given."""
    return next((why for pattern, why in WORTH.items() if re.search(pattern, test)), "")


def why_slow(test: str) -> str | None:
    """The reason for which a test, given by its node's name, is slow; None: it is not."""
    return next((why for pattern, why in SLOW.items() if re.search(pattern, test)), None)
