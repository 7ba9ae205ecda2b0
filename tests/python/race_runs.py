"""The runs in which ``--check races`` has to find nothing: each of croft's programs, by each run-time that it takes.

A row is a program (of tests/programs, examples, or one of croft's own), its arguments, the machine, how it is run, and
how that ends. FOLDER is a directory of its own, with a file `in` and those of system_calls. Left out is what runs
natively only (silent.cpp, which ThreadSanitizer runs), and what races on purpose: races.cpp and its likes, the papers'
acks on a machine with homes (sm_tree and sm_linear of map_matvec: test_channels.py), and mutants, of which the test
looks for some.
"""

from dataclasses import dataclass, field
from pathlib import Path

import croft
from program_sources import PROGRAMS

EXAMPLES = PROGRAMS.parents[1] / "examples"


@dataclass(frozen=True)
class Run:
    program: str
    arguments: str
    machine: str
    options: dict = field(default_factory=dict)
    ends: tuple[int | None, str] = (0, "exited")  # None: some exit code

    @property
    def name(self) -> str:
        """Unique among all."""
        more = (f"{key}={value}" for key, value in self.options.items() if key != "host")
        return "-".join([self.program, *self.arguments.split(), "on", self.machine, *more])

    def build(self) -> Path | str:
        """What croft.run() takes."""
        for folder in (PROGRAMS, EXAMPLES):
            if (source := folder / f"{self.program}.cpp").exists():
                return croft.build(source)
        return self.program


TILED, MESI, GWB, WINDOWS = "tilepro64", "tiny-64-mesi", "tiny-64-gwb", "o3x4"
BIG_TINY = "big-tiny-64-gwb"  # whose first four cores are big
COHERENT = (TILED, MESI, WINDOWS)
FEW = {"cores": 8}
HOST = {"input_slots": 4, "output_slots": 4}


def _script(messages: list[bytes]) -> croft.HostScript:
    return croft.HostScript(messages, **HOST)


def _of_this_library() -> list[Run]:
    numbers = [number.to_bytes(4, "little") for number in range(20)]
    threads = [
        *[
            Run(name, "3", machine, {"cores": 4})
            for name in ("threads", "mutex", "atomic", "async", "condition_variable")
            for machine in (*COHERENT, GWB)
        ],
        *[Run("waiting", "3", machine, {"cores": 4}) for machine in (TILED, GWB, WINDOWS)],
        Run("core_numbers", "4", TILED, {"cores": 4}),
        *[Run("compare_and_swap", "3 5", machine, {"cores": 4}) for machine in (TILED, GWB, WINDOWS)],
        Run("shared_cores", "compute 3", TILED, {"cores": 4}),
        Run("shared_cores", "ring 5", TILED, {"cores": 4}),
        *[Run("signals", case, TILED, {"cores": 4}) for case in ("registers", "waits", "timers", "threads")],
        Run("own_stores", "stack 8 32 1", TILED),
        Run("page_changes", "4 2000 1", TILED),
        *[Run("misaligned", "", machine, {"cores": 2}) for machine in (TILED, WINDOWS)],
        *[Run("sleep", "", machine, {"cores": 4}) for machine in (TILED, GWB, WINDOWS)],
        *[Run("shared_lines", "", machine, {"cores": 3}) for machine in (TILED, MESI, WINDOWS)],
        *[Run("collected_table", "", machine, {"cores": 5}) for machine in (TILED, MESI)],
        *[Run("planted_faults", mode, TILED) for mode in ("counters", "written", "emitter")],
        *[Run("marks", mode, TILED) for mode in ("tasks", "farm")],
        *[Run("messages", kind, TILED) for kind in ("udn", "ra", "ra-home", "ra-hf", "turns", "batched", "answers")],
        *[Run("messages", kind, MESI) for kind in ("null-slot", "lamport", "unbounded")],
        Run("awkward_output", "", TILED),
        *[Run("regions", "two", machine, {"cores": 3}) for machine in (TILED, MESI)],
        *[Run("warmth", "other", machine, {"cores": 3}) for machine in (TILED, GWB)],
        *[Run("call_shapes", "", machine, {"cores": 2}) for machine in (TILED, WINDOWS)],
        *[
            Run("coherence_stress", "4 6 1", machine, {"cores": 4})
            for machine in (*COHERENT, GWB, "tiny-64-dnv", "tiny-64-gwt")
        ],
        Run("surroundings", "", TILED, {}, (7, "exited")),
        Run("files", "missing", TILED),
        *[
            Run("system_calls", "FOLDER 2", machine, {"cores": 4}, (None, "exited"))
            for machine in (TILED, GWB, WINDOWS)
        ],
        Run("faults", "abort", TILED, {}, (134, "fault")),
        Run("deadlock", "", TILED, {}, (0, "deadlock")),
        Run("forever", "wait", TILED, {"max_cycles": 300_000}, (0, "cycle_limit")),
        Run("guess", "exchange", TILED),
    ]
    channels = [
        *[
            Run("channels", f"{kind} {degree}", TILED, {"cores": 6})
            for kind, degree in (
                ("ra", 2),
                ("ra-home", 1),
                ("ra-hf", 3),
                ("ra-hf-drop", 2),
                ("ra-hf-period", 3),
                ("udn", 2),
                ("ra-udn", 2),
                ("turns", 2),
                ("batched", 3),
                ("incoherent", 2),
                ("incoherent-split", 1),
                ("forwarded-split", 16),
                ("at-sender", 2),
                ("at-core", 2),
                ("round-robin", 2),
            )
        ],
        *[Run("channels", f"{kind} 2", GWB, {"cores": 6}) for kind in ("ra", "turns")],
        Run("channels", "batched 2", "o3x8", {"cores": 6}),
        *[
            Run("channel_mutants", whole, TILED)
            for whole in ("none", "split", "notified", "incoherent", "forwarded-to-receiver", "forwarded-to-sender")
        ],
        *[Run("barriers", f"{kind} 5 20", TILED) for kind in ("flags", "forwarded", "network")],
        *[Run("barriers", "flags 4 20", machine) for machine in (MESI, GWB, WINDOWS)],
        *[Run("channel_waiting", "", machine, {"cores": 6}) for machine in (TILED,)],
        *[
            Run("network_limits", which, TILED, {}, (1, "exited"))
            for which in ("queues", "words", "senders", "elsewhere")
        ],
        *[
            Run("zero_copy", f"{style} 50", machine, {"cores": 2})
            for style in ("place", "value")
            for machine in (TILED, MESI, WINDOWS)
        ],
        *[Run("incoherent", "flush", TILED)],
    ]
    names = (
        "pipeline",
        "ordered",
        "rows",
        "feedback",
        "prefix",
        "graph",
        "farm",
        "nested",
        "reduce",
        "stencil",
        "divide_and_conquer",
        "accelerator",
        "exception",
    )
    patterns = [
        *[Run("patterns", name, TILED, FEW) for name in names],
        *[Run("patterns", name, GWB, FEW) for name in names],
        *[Run("patterns", name, WINDOWS) for name in names],
        *[
            Run("patterns", f"{name} {kind}", TILED, FEW)
            for kind in ("ra-hf", "ra-home", "ra-udn")
            for name in names[:6]
        ],
        *[
            Run("nodes", name, machine, FEW)
            for name in ("map", "graph_in_farm", "collectors")
            for machine in (TILED, MESI)
        ],
        *[
            Run("all_to_all", form, machine, FEW)
            for form in ("any", "keyed", "numbered", "in_farm")
            for machine in (TILED, GWB)
        ],
        *[Run("task_data", policy, TILED, FEW) for policy in ("hashed", "fixed", "none")],
        *[Run("task_data_map", policy, TILED, FEW) for policy in ("hashed", "fixed", "none")],
        *[
            Run("coprocessor", which, TILED, {**FEW, "host": _script(numbers)})
            for which in ("copies", "views", "bytes")
        ],
        Run("coprocessor", "homeless", TILED, {**FEW, "host": _script([bytes(256)] * 8)}),
    ]
    runtimes = ("default", "paper_shared", "paper_flushed", "shared_deques", "direct_stealing")
    tasks = [
        *[Run("tasks", runtime, TILED, {"cores": 4}) for runtime in runtimes],
        *[
            Run("tasks", runtime, MESI, {"cores": 4})
            for runtime in ("paper_shared", "paper_flushed", "paper_direct", "default")
        ],
        *[
            Run("tasks", runtime, machine, {"cores": 4})
            for runtime in ("paper_flushed", "paper_direct", "default")
            for machine in (GWB, "tiny-64-dnv", "tiny-64-gwt")
        ],
        *[Run("tasks", runtime, WINDOWS, {"cores": 4}) for runtime in ("default", "paper_shared")],
        *[Run("task_mutants", name, GWB, {"cores": 4}) for name in ("deques", "direct")],
        *[Run("dags", name, machine, {"cores": 4}) for name in ("fib",) for machine in (TILED,)],
    ]
    return [*threads, *channels, *patterns, *tasks]


def _of_the_papers() -> list[Run]:
    channel = ["ra", "ra-home", "ra-hf", "ra-hf-drop", "ra-hf-period", "ra-udn", "ra-incoherent", "ff-queue"]
    few = "--workers 4 --count 12"
    return [
        *[Run("farm_convolution", f"{few} --check --channel {kind}", TILED) for kind in channel],
        *[
            Run("farm_convolution", f"{few} --check {how}", TILED)
            for how in (
                "--ordered",
                "--schedule round-robin",
                "--emitters 2 --collectors 2",
                "--type float",
                "--collector passes",
            )
        ],
        Run("farm_convolution", "--sequential --count 3 --check", TILED),
        Run("farm_convolution", f"{few} --check", MESI),
        Run("farm_convolution", f"{few} --check", GWB),
        Run("farm_convolution", f"{few} --check", BIG_TINY),
        Run("farm_convolution", "--workers 2 --count 12 --check", WINDOWS),
        *[
            Run("map_matvec", f"--runtime {runtime} {few} --check --collector reads", TILED)
            for runtime in ("croft", "udn_tree", "ra_home_tree", "ra_home_linear", "fastflow", "lock_queue")
        ],
        *[
            Run("map_gemv", f"--runtime {runtime} {few} --check --collector reads", TILED)
            for runtime in ("croft", "ra_udn", "ra_sm", "ff_queue", "ra_notified")
        ],
        *[
            Run("map_matvec", f"--runtime {runtime} {few} --check --collector reads", MESI)
            for runtime in ("croft", "sm_tree", "sm_linear", "fastflow", "lock_queue")
        ],
        *[
            Run("map_gemv", f"--runtime {runtime} {few} --check --collector reads", GWB)
            for runtime in ("croft", "ra_sm")
        ],
        *[
            Run("map_gemv", f"--runtime {runtime} --workers 2 --count 12 --check", WINDOWS)
            for runtime in ("croft", "ra_sm", "ff_queue")
        ],
        *[
            Run(
                "stream_matmul", f"--policy {policy} --runtime {runtime} --workers 3 --count 9 --size 32 --check", TILED
            )
            for policy in ("hhn", "nhn", "fhn")
            for runtime in ("fastflow", "croft")
        ],
        Run("accelerator", "--mode alone --policy hhn --workers 3 --items 8 --size 32 --check", TILED),
        Run("accelerator", "--mode alone --policy nhn --workers 3 --items 8 --size 32 --check", TILED),
        *[
            Run("coherence_requests", f"--pattern {pattern} --size {size} --runtime {runtime} {few}", TILED)
            for pattern, size in (("farm", 32), ("map", 56))
            for runtime in ("ra_udn", "ra_sm", "ff_queue")
        ],
        *[Run("grain", "--workers 5 --multiplications 3001", machine) for machine in (TILED, MESI, GWB)],
        *[
            Run("memory_grain", "--workers 5 --multiplications 3001 --per-element 3 --check", machine)
            for machine in (TILED, MESI, GWB)
        ],
        *[Run("machine_speed", "--repeats 10 --trips 5 --memory 8", machine) for machine in (TILED, MESI, WINDOWS)],
        *[Run("pattern_costs", "--count 60 --repeats 2", machine, FEW) for machine in (TILED, MESI, GWB)],
        Run("native_latency", "--memory 1 --repeats 1", TILED, {"max_cycles": 10_000_000}, (0, "cycle_limit")),
        *[
            Run("pingpong", f"--hops 3 --count 50 --channel {kind} --interface {interface}", TILED)
            for kind in ("ra", "ra-home", "ra-hf", "udn", "ra-udn")
            for interface in ("symmetric", "asymmetric")
        ],
        Run("pingpong", "--cores 0,1 --count 50", MESI),
        Run("pingpong", "--cores 0,1 --count 50", WINDOWS),
        *[
            Run("queue_latency", f"--queue {queue} --count 300 --smallest 4 --largest 8 --repeats 1", machine)
            for queue in ("bounded", "unbounded", "channel")
            for machine in (TILED, MESI, WINDOWS)
        ],
        Run("read_latency", "--pairs 2 --lines 1", TILED),
        Run("write_latency", "--pairs 2 --lines 1", TILED, {"max_cycles": 400_000_000}),
        Run("latency_by_size", "--kib 8 --chains 2 --steps 300", MESI),
        Run("memory_bandwidth", "--threads 2 --kib 8", MESI, FEW),
        Run("item_grain", "--bytes 64 --multiplications 10 --count 8 --channel turns", MESI, FEW),
        Run("item_grain", "--bytes 1024 --multiplications 10 --count 8 --channel ra-hf", TILED, FEW),
        Run("chip_latency", "--chip 4 --l1 4 --l2 8 --pairs 1 --lines 1", MESI),
        *[Run("log_pipeline", "FOLDER/in FOLDER/out 20", machine, FEW) for machine in (TILED, MESI)],
        *[Run("market_data", "2 50", machine, FEW) for machine in (TILED, MESI, GWB)],
        *[Run("nested_loops", "8 40", machine, FEW) for machine in (TILED, MESI, GWB)],
    ]


CILK5 = {
    "cilk5/sort": "--size 900 --grain 60",
    "cilk5/lu": "--size 16 --block 4",
    "cilk5/matmul": "--size 16 --grain 8",
    "cilk5/transpose": "--size 40 --grain 7",
    "cilk5/queens": "--size 5 --grain 2",
}
GRAPH = {
    f"graph/{name}": "--rmat 64 --edges 200"
    for name in ("bc", "bellman_ford", "bfs", "bfs_bitvector", "components", "mis", "radii", "triangles")
}
STEALING = {
    TILED: ("default", "shared_deques"),
    MESI: ("interrupt_stealing", "shared_deques", "direct_stealing"),
    GWB: ("default", "shared_deques_flushed", "direct_stealing"),
    WINDOWS: ("default", "shared_deques"),
}


def _of_kernels() -> list[Run]:
    return [
        *[
            Run(kernel, f"{small} --verify full --runtime {runtime}", machine, {"cores": 4})
            for kernel, small in (CILK5 | GRAPH).items()
            for machine, runtimes in STEALING.items()
            for runtime in runtimes
        ],
        *[
            Run(kernel, f"{small} --verify full --runtime {runtime}", BIG_TINY, FEW)
            for kernel, small in (CILK5 | GRAPH).items()
            for runtime in ("default", "direct_stealing")
        ],
    ]


RUNS = {run.name: run for run in [*_of_this_library(), *_of_the_papers(), *_of_kernels()]}
