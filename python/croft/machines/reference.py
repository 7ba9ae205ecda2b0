"""Writes docs/machine-file.md from the simulator's own list of keys: ``python -m croft.machines.reference``."""

import re
from collections.abc import Iterator
from typing import Any

from croft import _simulator

_HEAD = """\
# Machine files

A machine is one TOML file. `machines/` holds those that come with croft; `croft run --machine my.toml` takes your own.

A machine's cores may be all alike. Then the top of the file describes them: `protocol`, `[core]`, `[l1d]` and their
other parts. Or they are of two kinds, `[big]` and `[tiny]`. Each kind is described in the same way, and has `count`
tiles in a row.

The protocol of the cores decides which part answers for their lines. Under ddc each tile's L2 (`[l2]`) is the home of a
share of the lines, and `[home]` says what that takes. Under the others the caches behind the L1s are a list of
`[[level]]`, from the cores on. Each is shared by so many tiles in a row, and the last one by all. `[shared]` is such a
last level whose banks the lines go round, and a kind's `[l2]` a first one.

Few keys have a default. `memory.dram.mapping` follows from the standard. Those of `[[level]]` say theirs, and those of
`[network]`, of caches and of places say "Nothing: ...". If a key is unknown, the error names the key that you probably
meant. Else you may leave out only whole parts that a machine lacks. In the files that come with croft, every line ends
with a comment that says where its value is from; `croft machines NAME` shows them.

`based_on = "NAME"` takes another machine file as the base. A path that ends in `.toml` is relative to this file.
Everything that this file does not say comes from the base. `part = false` leaves a part of the base out. `cost = 1` is
short for every cost being that much; the same holds for `units`. If a value has no comment, its source is the file
itself. `--set network.hop=3` works like such a file of one key. `croft machines NAME --set ... --toml` writes it as a
file that says everything ([more](lab/machines.md)).

`[network]` says how routers are joined. `topology = "ring"` or `"crossbar"` makes another network than a mesh of the
same `columns` x `rows` routers, which are numbered row by row. `tiles_per_router = 4` makes a mesh of clusters.
`chips = 2` makes a second chip like the first one: twice the tiles, whose numbers go on behind those of the first chip.
A machine of two TILEPro64s is no more than this:

```toml
based_on = "tilepro64"
name = "two-tilepro64"
cores = 128

[network]
chips = 2

[network.chip_link]
column = 7
row = 4
latency = 40
cycles_per_flit = 4
```

A message to another chip goes to the router at `chip_link`'s column and row. It takes the link, and goes on from the
same router of the other chip. The link carries a flit in `cycles_per_flit` cycles. Whatever the topology is, the way
from one node to another is always the same ([how it was decided](decisions/topologies.md)).

Memory controllers and banks stand at routers that the file lists, or where a rule puts them on chips of any size:

- `"top"`: one at the top of each column (paper 002, table II: a bank and a controller a column);
- `"top_and_bottom"`: two at the top edge and two at the bottom edge, each a quarter of the columns from a side (the
  TILEPro64's four);
- `"corners"`: one in each corner.

Each chip has its own. `croft machines NAME` shows where that is, with chips beside each other. So a smaller TILEPro64
takes no more than `--set network.columns=4 --set network.rows=4 --set cores=16`.

All times are cycles of the machine's one clock. This page is made from the checks themselves (`make docs`).
"""

_TAIL = """
## What must fit together

- the network has a tile for each core, and for the home if the policy is `fixed`; there are 1,024 tiles at most;
- each memory controller and bank has a router; there are 64 memory controllers at most;
- several chips need `[network.chip_link]`, and its router is on a chip;
- a machine with `[big]` or `[tiny]` has as many `cores` as these together, and their homes are of one sort;
- a cache's sets, `size / (line x ways)`, are a whole number and a power of two;
- under ddc an L1 line has 16 or 64 bytes, an L2 line 64, and the L1 is neither larger nor slower than the L2;
- under the other protocols an `[l2]` is not faster than the L1;
- a level is shared by a multiple of the tiles that share the one before it, and by a whole part of all tiles;
- each level has a name of its own, because its statistics have that name;
- at a shared L2 all lines have 64 bytes, and an L1 of instructions has 8 ways at most, in 4 sets at least;
- an out-of-order core has lines of 64 bytes and a protocol under which writers invalidate, mesi or ddc. It takes its
  loads back when another core writes their line.
"""


def reference() -> str:
    """The page, as Markdown."""
    return _HEAD + "".join(_sections("", "A whole machine.", _simulator.machine_keys(), {})) + _TAIL


def _sections(path: str, about: str, keys: list[dict[str, Any]], shown: dict[str, str]) -> Iterator[str]:
    title = f"`{path if path.startswith('[') else f'[{path}]'}`" if path else "At the top"
    same = repr(keys)
    if same in shown:
        yield f"\n## {title}\n\nAs `[{shown[same]}]`. {about}\n"
        return
    shown[same] = path
    rows = [
        f"| `{key['name']}` | {_allowed(key)} | {key['unit']} | {key['meaning']} |\n"
        for key in keys
        if not key["is_table"]
    ]
    yield f"\n## {title}\n\n{about}\n\n| key | value | unit | meaning |\n| --- | --- | --- | --- |\n" + "".join(rows)
    for key in keys:
        if key["is_table"] or _has_section(key):
            inner = f"{path}.{key['name']}" if path else key["name"]
            inner = inner if key["is_table"] else f"[[{inner}]]"
            said = key["meaning"] + (" May be left out." if key["optional"] else "")
            yield from _sections(inner, said, key["keys"], shown)


def _has_section(key: dict[str, Any]) -> bool:
    """Of a list: whether its tables have more keys than a line tells."""
    return len(key["keys"]) > 4 and not key["is_table"]


def _allowed(key: dict[str, Any]) -> str:
    allowed = re.sub(r'("\w+")', r"`\1`", key["allowed"])
    if _has_section(key):
        return f"{allowed}, or nothing"
    if key["keys"]:  # a list
        return f"{allowed} with " + ", ".join(f"`{inner['name']}`" for inner in key["keys"])
    return allowed + (", or nothing" if key["optional"] else "")


if __name__ == "__main__":
    print(reference(), end="")
