"""``python -m bench [NAME...]``: the simulator's speed, and the library's on this host."""

import sys

from bench import examples, including, native, simulator_speed

BENCHMARKS = {
    "including": including.main,
    "examples": examples.main,
    "simulator": simulator_speed.main,
    "native": native.main,
}


def main() -> None:
    names = sys.argv[1:] or list(BENCHMARKS)
    for name in names:
        if name not in BENCHMARKS:
            raise SystemExit(f"there is no benchmark {name}; there are {', '.join(BENCHMARKS)}")
        BENCHMARKS[name]()


if __name__ == "__main__":
    main()
