"""Litmus tests, each with what it asks and whether RVWMO allows that (rvwmo.py computes the same).

Names are those of the literature where it has one. A test whose second half is another's is named after both.
"""

from litmus_threads import Litmus

_PUBLISHED = "x=1; fence w,w; y=1"  # the writer of MP
_WEAK_MP = "1:a=1 1:b=0"
_WEAK_IRIW = "2:a=1 2:b=0 3:a=1 3:b=0"

_ROWS: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    # One place.
    ("CoRR", "forbidden", "1:a=1 1:b=0", ("x=1", "a=x; b=x")),
    ("CoWW", "forbidden", "x=1", ("x=1; x=2",)),
    ("CoWR", "forbidden", "0:a=0", ("x=1; a=x", "x=2")),
    ("CoRW", "forbidden", "0:a=2 x=2", ("a=x; x=1", "x=2")),
    ("CoRR2", "forbidden", "2:a=1 2:b=2 3:a=2 3:b=1", ("x=1", "x=2", "a=x; b=x", "a=x; b=x")),
    ("CoRR+addr", "forbidden", "1:b=1 1:c=0", ("x=1", "a=y; b=x@a; c=x")),
    ("CoRR+add", "forbidden", "1:a=1 1:b=0", ("a=add x,1", "a=x; b=x")),
    ("CoAdd", "forbidden", "0:a=0 1:a=0", ("a=add x,1", "a=add x,1")),
    ("CoSwapR", "forbidden", "0:b=0", ("a=swap x,1; b=x", "x=2")),
    # SB: a load overtakes an earlier store.
    ("SB", "allowed", "0:a=0 1:a=0", ("x=1; a=y", "y=1; a=x")),
    ("SB+fence.rw.rws", "forbidden", "0:a=0 1:a=0", ("x=1; fence rw,rw; a=y", "y=1; fence rw,rw; a=x")),
    ("SB+fence.w.rs", "forbidden", "0:a=0 1:a=0", ("x=1; fence w,r; a=y", "y=1; fence w,r; a=x")),
    ("SB+fence.rw.rw+po", "allowed", "0:a=0 1:a=0", ("x=1; fence rw,rw; a=y", "y=1; a=x")),
    ("SB+fence.tsos", "allowed", "0:a=0 1:a=0", ("x=1; fence.tso; a=y", "y=1; fence.tso; a=x")),
    ("SB+swap.rl+lr.aq", "forbidden", "0:b=0 1:b=0", ("a=swap.rl x,1; b=lr.aq y", "a=swap.rl y,1; b=lr.aq x")),
    ("SB+swap.aq", "forbidden", "0:b=0 1:b=0", ("a=swap.aq x,1; b=y", "a=swap.aq y,1; b=x")),
    ("SB+swaps", "allowed", "0:b=0 1:b=0", ("a=swap x,1; b=y", "a=swap y,1; b=x")),
    ("SB+po+lr.aq", "allowed", "0:a=0 1:a=0", ("x=1; a=lr.aq y", "y=1; a=lr.aq x")),
    (
        "SB+rfi-fence.r.rs",
        "allowed",
        "0:a=1 0:b=0 1:a=1 1:b=0",
        ("x=1; a=x; fence r,r; b=y", "y=1; a=y; fence r,r; b=x"),
    ),
    (
        "SB+swap-rfi-addrs",
        "forbidden",
        "0:b=1 0:c=0 1:b=1 1:c=0",
        ("a=swap x,1; b=x; c=y@b", "a=swap y,1; b=y; c=x@b"),
    ),
    # MP: a message in x, a flag in y.
    ("MP", "allowed", _WEAK_MP, ("x=1; y=1", "a=y; b=x")),
    ("MP+po+fence.r.r", "allowed", _WEAK_MP, ("x=1; y=1", "a=y; fence r,r; b=x")),
    ("MP+po+addr", "allowed", _WEAK_MP, ("x=1; y=1", "a=y; b=x@a")),
    ("MP+fence.w.w+po", "allowed", _WEAK_MP, (_PUBLISHED, "a=y; b=x")),
    ("MP+fence.w.w+ctrl", "allowed", _WEAK_MP, (_PUBLISHED, "a=y; if a; b=x")),
    ("MP+fence.w.w+fence.r.r", "forbidden", _WEAK_MP, (_PUBLISHED, "a=y; fence r,r; b=x")),
    ("MP+fence.w.w+fence.r.rw", "forbidden", _WEAK_MP, (_PUBLISHED, "a=y; fence r,rw; b=x")),
    ("MP+fence.w.w+fence.w.w", "allowed", _WEAK_MP, (_PUBLISHED, "a=y; fence w,w; b=x")),
    ("MP+fence.w.w+addr", "forbidden", _WEAK_MP, (_PUBLISHED, "a=y; b=x@a")),
    ("MP+fence.w.w+addr-fence.r.r", "forbidden", _WEAK_MP, (_PUBLISHED, "a=y; fence r,r; b=x@a")),
    ("MP+fence.w.w+lr.aq", "forbidden", _WEAK_MP, (_PUBLISHED, "a=lr.aq y; b=x")),
    ("MP+fence.w.w+add.aq", "forbidden", _WEAK_MP, (_PUBLISHED, "a=add.aq y,0; b=x")),
    ("MP+fence.w.w+lr.aq-addr", "forbidden", _WEAK_MP, (_PUBLISHED, "a=lr.aq y; b=x@a")),
    ("MP+swap.rl+fence.r.r", "forbidden", _WEAK_MP, ("x=1; a=swap.rl y,1", "a=y; fence r,r; b=x")),
    ("MP+swap.rl+lr.aq", "forbidden", _WEAK_MP, ("x=1; a=swap.rl y,1", "a=lr.aq y; b=x")),
    ("MP+swap+lr.aq", "allowed", _WEAK_MP, ("x=1; a=swap y,1", "a=lr.aq y; b=x")),
    ("MP+fence.tsos", "forbidden", _WEAK_MP, ("x=1; fence.tso; y=1", "a=y; fence.tso; b=x")),
    ("MP+lr-sc.rl+fence.r.r", "forbidden", _WEAK_MP, ("x=1; a=lr y; b=sc.rl y,1", "a=y; fence r,r; b=x")),
    ("MP+fence.w.w+rr", "allowed", "1:a=1 1:c=0", (_PUBLISHED, "a=y; b=y; if b; c=x")),
    ("MP+fence.w.w+fri-rfi-addr", "allowed", "1:a=1 1:b=2 1:c=0", (_PUBLISHED, "a=y; y=2; b=y; c=x@b")),
    ("PPOCA", "allowed", "1:a=1 1:b=1 1:c=0", (_PUBLISHED, "a=y; if a; z=1; b=z; c=x@b")),
    ("PPOAA", "forbidden", "1:a=1 1:b=1 1:c=0", (_PUBLISHED, "a=y; z@a=1; b=z; c=x@b")),
    ("PPODA", "forbidden", "1:a=1 1:c=0", (_PUBLISHED, "a=y; z=a; b=z; c=x@b")),
    ("PPOCA+swap", "forbidden", "1:a=1 1:c=1 1:d=0", (_PUBLISHED, "a=y; if a; b=swap z,1; c=z; d=x@c")),
    (
        "PPOCA+LRSC",
        "forbidden",
        "1:a=1 1:c=0 1:d=1 1:e=0",
        (_PUBLISHED, "a=y; if a; b=lr z; c=sc z,1; d=z; e=x@d"),
    ),
    ("RSW", "allowed", "1:a=1 1:b=0 1:c=0 1:d=0", (_PUBLISHED, "a=y; b=z@a; c=z; d=x@c")),
    ("RSW+W", "forbidden", "1:a=1 1:b=0 1:c=1 1:d=0", (_PUBLISHED, "a=y; b=z@a; c=z; d=x@c", "z=1")),
    ("RDW+fence.r.r", "forbidden", "1:a=1 1:b=0 1:c=1 1:d=0", (_PUBLISHED, "a=y; fence r,r; b=z; c=z; d=x@c", "z=1")),
    ("RNSW", "allowed", "1:a=1 1:b=0 1:c=1 1:d=0", (_PUBLISHED, "a=y; b=z@a; z=1; c=z; d=x@c")),
    # LB: a store overtakes an earlier load.
    ("LB", "allowed", "0:a=1 1:a=1", ("a=x; y=1", "a=y; x=1")),
    ("LB+ctrl+po", "allowed", "0:a=1 1:a=1", ("a=x; if a; y=1", "a=y; x=1")),
    ("LB+datas", "forbidden", "0:a=1 1:a=1", ("a=x; b=a^a; c=b|1; y=c", "a=y; b=a^a; c=b|1; x=c")),
    ("LB+addrs", "forbidden", "0:a=1 1:a=1", ("a=x; y@a=1", "a=y; x@a=1")),
    ("LB+ctrls", "forbidden", "0:a=1 1:a=1", ("a=x; if a; y=1", "a=y; if a; x=1")),
    ("LB+addrpos", "forbidden", "0:a=1 1:a=1", ("a=x; b=z@a; y=1", "a=y; b=w@a; x=1")),
    ("LB+fence.r.ws", "forbidden", "0:a=1 1:a=1", ("a=x; fence r,w; y=1", "a=y; fence r,w; x=1")),
    ("LB+fence.tsos", "forbidden", "0:a=1 1:a=1", ("a=x; fence.tso; y=1", "a=y; fence.tso; x=1")),
    ("LB+swap.rls", "forbidden", "0:a=1 1:a=1", ("a=x; b=swap.rl y,1", "a=y; b=swap.rl x,1")),
    ("LB+lr.aqs", "forbidden", "0:a=1 1:a=1", ("a=lr.aq x; y=1", "a=lr.aq y; x=1")),
    # S, R and 2+2W: stores against stores.
    ("S", "allowed", "1:a=1 x=2", ("x=2; y=1", "a=y; x=1")),
    ("S+fence.w.w+data", "forbidden", "1:a=1 x=2", ("x=2; fence w,w; y=1", "a=y; b=a^a; c=b|1; x=c")),
    ("S+fence.w.w+ctrl", "forbidden", "1:a=1 x=2", ("x=2; fence w,w; y=1", "a=y; if a; x=1")),
    ("S+fence.w.w+po", "allowed", "1:a=1 x=2", ("x=2; fence w,w; y=1", "a=y; x=1")),
    ("S+po+fence.r.w", "allowed", "1:a=1 x=2", ("x=2; y=1", "a=y; fence r,w; x=1")),
    ("S+swap.rl+addr", "forbidden", "1:a=1 x=2", ("x=2; a=swap.rl y,1", "a=y; x@a=1")),
    ("R", "allowed", "1:a=0 y=2", ("x=1; y=1", "y=2; a=x")),
    ("R+fence.rw.rws", "forbidden", "1:a=0 y=2", ("x=1; fence rw,rw; y=1", "y=2; fence rw,rw; a=x")),
    ("R+fence.w.w+fence.w.r", "forbidden", "1:a=0 y=2", ("x=1; fence w,w; y=1", "y=2; fence w,r; a=x")),
    ("R+fence.w.w+po", "allowed", "1:a=0 y=2", ("x=1; fence w,w; y=1", "y=2; a=x")),
    ("2+2W", "allowed", "x=1 y=1", ("x=1; y=2", "y=1; x=2")),
    ("2+2W+fence.w.ws", "forbidden", "x=1 y=1", ("x=1; fence w,w; y=2", "y=1; fence w,w; x=2")),
    ("2+2W+fence.w.w+po", "allowed", "x=1 y=1", ("x=1; fence w,w; y=2", "y=1; x=2")),
    ("2+2W+swap.rls", "forbidden", "x=1 y=1", ("x=1; a=swap.rl y,2", "y=1; a=swap.rl x,2")),
    # Three and four threads: a store becomes visible to all others at once.
    ("WRC", "allowed", "1:a=1 2:a=1 2:b=0", ("x=1", "a=x; y=1", "a=y; b=x")),
    ("WRC+addrs", "forbidden", "1:a=1 2:a=1 2:b=0", ("x=1", "a=x; y@a=1", "a=y; b=x@a")),
    ("WRC+data+fence.r.r", "forbidden", "1:a=1 2:a=1 2:b=0", ("x=1", "a=x; y=a", "a=y; fence r,r; b=x")),
    ("WRC+fence.r.w+lr.aq", "forbidden", "1:a=1 2:a=1 2:b=0", ("x=1", "a=x; fence r,w; y=1", "a=lr.aq y; b=x")),
    ("WRC+addr+po", "allowed", "1:a=1 2:a=1 2:b=0", ("x=1", "a=x; y@a=1", "a=y; b=x")),
    (
        "RWC+fence.r.r+fence.rw.rw",
        "forbidden",
        "1:a=1 1:b=0 2:a=0",
        ("x=1", "a=x; fence r,r; b=y", "y=1; fence rw,rw; a=x"),
    ),
    ("RWC+fence.r.r+po", "allowed", "1:a=1 1:b=0 2:a=0", ("x=1", "a=x; fence r,r; b=y", "y=1; a=x")),
    ("WWC+addrs", "forbidden", "1:a=2 2:a=1 x=2", ("x=2", "a=x; y@a=1", "a=y; x@a=1")),
    ("ISA2+fence.w.w+data+addr", "forbidden", "1:a=1 2:a=1 2:b=0", (_PUBLISHED, "a=y; z=a", "a=z; b=x@a")),
    (
        "ISA2+fence.w.w+data+fence.r.r",
        "forbidden",
        "1:a=1 2:a=1 2:b=0",
        (_PUBLISHED, "a=y; z=a", "a=z; fence r,r; b=x"),
    ),
    ("Z6.3+fence.w.ws+addr", "forbidden", "2:a=1 2:b=0 y=2", (_PUBLISHED, "y=2; fence w,w; z=1", "a=z; b=x@a")),
    (
        "Z6.3+fence.w.ws+fence.r.r",
        "forbidden",
        "2:a=1 2:b=0 y=2",
        (_PUBLISHED, "y=2; fence w,w; z=1", "a=z; fence r,r; b=x"),
    ),
    ("IRIW", "allowed", _WEAK_IRIW, ("x=1", "y=1", "a=x; b=y", "a=y; b=x")),
    ("IRIW+addrs", "forbidden", _WEAK_IRIW, ("x=1", "y=1", "a=x; b=y@a", "a=y; b=x@a")),
    (
        "IRIW+fence.r.rs",
        "forbidden",
        _WEAK_IRIW,
        ("x=1", "y=1", "a=x; fence r,r; b=y", "a=y; fence r,r; b=x"),
    ),
    ("IRIW+lr.aqs", "forbidden", _WEAK_IRIW, ("x=1", "y=1", "a=lr.aq x; b=y", "a=lr.aq y; b=x")),
    ("IRIW+fence.r.r+po", "allowed", _WEAK_IRIW, ("x=1", "y=1", "a=x; fence r,r; b=y", "a=y; b=x")),
    # lr and sc.
    ("LRSC+LRSC", "forbidden", "0:a=0 0:b=0 1:a=0 1:b=0", ("a=lr x; b=sc x,1", "a=lr x; b=sc x,2")),
    ("LRSC+store", "forbidden", "0:a=0 0:b=0 x=1", ("a=lr x; b=sc x,1", "x=2; fence w,r; a=x")),
    ("LRSC+add", "forbidden", "0:a=0 0:b=0 1:a=0", ("a=lr x; b=sc x,1", "a=add x,2")),
    ("LRSC+own-store", "allowed", "0:a=0 0:b=0 x=1", ("a=lr x; x=2; b=sc x,1", "c=x")),
    ("LRSC+elsewhere", "forbidden", "0:a=0 0:b=0 1:a=0 1:b=0", ("a=lr x; b=sc y,1", "a=add x,2; fence rw,rw; b=y")),
    ("SC-without-LR", "forbidden", "0:a=0", ("a=sc x,1", "x=2")),
    ("SC-twice", "forbidden", "0:b=0 0:c=0", ("a=lr x; b=sc x,1; c=sc x,2", "x=3")),
    ("SB+LRSC", "allowed", "0:b=0 0:c=0 1:b=0 1:c=0", ("a=lr x; b=sc x,1; c=y", "a=lr y; b=sc y,1; c=x")),
    (
        "SB+LRSC.aqrl",
        "forbidden",
        "0:b=0 0:c=0 1:b=0 1:c=0",
        ("a=lr x; b=sc.rl x,1; c=lr.aq y", "a=lr y; b=sc.rl y,1; c=lr.aq x"),
    ),
    ("MP+LRSC+lr.aq", "allowed", "0:b=0 1:a=1 1:b=0", ("x=1; a=lr y; b=sc y,1", "a=lr.aq y; b=x")),
)

TESTS = tuple(Litmus(name, texts, weak) for name, _, weak, texts in _ROWS)

ALLOWED = {name: verdict == "allowed" for name, verdict, _, _ in _ROWS}
"""Whether RVWMO allows what a test asks for."""


def named(name: str) -> Litmus:
    (found,) = (test for test in TESTS if test.name == name)
    return found
