"""What a machine file may say: every key with its meaning, unit and range.

The simulator takes these values as they are (``simulator/contract/description.hpp`` has the same keys). All times are
cycles of the machine's one clock, all sizes bytes.
"""

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator


class Part(BaseModel):
    """A part of a machine: unknown keys and values of another type are errors, missing keys too."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


Cycles = Annotated[int, Field(ge=0, le=1_000_000, json_schema_extra={"unit": "cycles"})]
SomeCycles = Annotated[int, Field(ge=1, le=2_000, json_schema_extra={"unit": "cycles"})]


def _bytes(description: str, least: int, most: int) -> Field:
    return Field(ge=least, le=most, description=description, json_schema_extra={"unit": "bytes"})


def is_power_of_two(number: int) -> bool:
    return number > 0 and number & (number - 1) == 0


class ImpossibleError(ValueError):
    """Values that are fine one by one and impossible together: ``key`` names the one to change."""

    def __init__(self, key: str, sentence: str) -> None:
        super().__init__(sentence)
        self.key = key


class Costs(Part):
    """Cycles until the next instruction may issue, by kind; what costs 1 may share its cycle if issue_width allows."""

    alu: SomeCycles = Field(description="integer arithmetic and logic")
    multiply: SomeCycles = Field(description="integer multiplication; pipelined if issue_width is above 1")
    divide: SomeCycles = Field(description="integer division and remainder")
    branch: SomeCycles = Field(description="a conditional branch, not taken")
    jump: SomeCycles = Field(description="jal and jalr, beside taken_branch")
    load: SomeCycles = Field(description="a load, beside what the memory system adds")
    store: SomeCycles = Field(description="a store, beside what the memory system adds")
    atomic: SomeCycles = Field(description="lr, sc and amo, beside what the memory system adds")
    fence: SomeCycles = Field(description="a fence, beside its wait for outstanding stores")
    csr: SomeCycles = Field(description="reading or writing a control register")
    system: SomeCycles = Field(description="ecall and ebreak, beside what the kernel adds")
    float_move: SomeCycles = Field(description="moving or changing the sign of a floating-point number")
    float_compare: SomeCycles = Field(description="comparing, minimum, maximum, classifying")
    float_add: SomeCycles = Field(description="addition and subtraction")
    float_multiply: SomeCycles = Field(description="multiplication")
    float_fused: SomeCycles = Field(description="fused multiply and add")
    float_divide: SomeCycles = Field(description="division")
    float_sqrt: SomeCycles = Field(description="square root")
    float_convert: SomeCycles = Field(description="conversion between formats")
    send: SomeCycles = Field(description="a message of one word into the user network: its header and the word")
    push: SomeCycles = Field(description="a header or a word of a longer message (croft.open, croft.push)")
    receive: SomeCycles = Field(description="a word out of a queue of the user network (croft.receive)")


class Core(Part):
    """An in-order core, whose loads block at the first use of their result."""

    issue_width: int = Field(
        ge=1,
        le=3,
        description="instructions a cycle at most, none needing another's result; of memory operations one, and one of"
        " all that multiply, divide, compute with floating-point numbers, or are csr or system instructions",
    )
    taken_branch: Cycles = Field(description="further cycles of a taken branch or a jump")
    store_buffer_drain: Cycles = Field(description="how long the store buffer waits for another store to its line")
    fence_least: Cycles = Field(description="what a fence takes at least if it has to wait")
    outstanding_stores: int = Field(
        ge=1,
        le=1024,
        description="store messages without acknowledgement before the next store stalls; at least 3 "
        "without a shared L2, where a store makes up to three",
    )
    cost: Costs

    @model_validator(mode="before")
    @classmethod
    def _one_for_all(cls, values: Any) -> Any:
        """``cost = 1`` is short for every kind costing so much."""
        if isinstance(values, dict) and isinstance(values.get("cost"), int):
            return {**values, "cost": dict.fromkeys(Costs.model_fields, values["cost"])}
        return values


class Cache(Part):
    """A private cache of one core."""

    size: int = _bytes("data it holds; sets = size / (line x ways) must be a power of two", 64, 1 << 26)
    line: int = _bytes("its line, a power of two", 8, 256)
    ways: int = Field(ge=1, le=64, description="lines a set holds")
    hit: SomeCycles = Field(description="from the issue of a load that hits here to the use of its data")

    @model_validator(mode="after")
    def _possible(self) -> Self:
        if not is_power_of_two(self.line):
            raise ImpossibleError("line", f"must be a power of two, but is {self.line}")
        if self.size % (self.line * self.ways):
            raise ImpossibleError(
                "size", f"({self.size}) must be a multiple of line x ways ({self.line} x {self.ways})"
            )
        sets = self.size // (self.line * self.ways)
        if not is_power_of_two(sets):
            raise ImpossibleError("size", f"({self.size}) makes {sets} sets, which is not a power of two")
        return self


class SecondCache(Cache):
    """The cache below the first; it is what the tile's home works on."""

    store: Cycles = Field(description="until a store whose line is here and not in the L1 is done; fences wait for it")


class Network(Part):
    """The mesh that joins the tiles; messages go along the row first, then along the column."""

    columns: int = Field(ge=1, le=64, description="tiles in a row of the mesh")
    rows: int = Field(ge=1, le=64, description="tiles in a column of the mesh")
    hop: SomeCycles = Field(description="from router to router")
    inject: Cycles = Field(description="from a tile into its router")
    eject: Cycles = Field(description="from the last router into a tile")
    flit: int = _bytes("payload that a flit carries, and that a link moves in a cycle", 1, 256)
    header_flits: int = Field(ge=1, le=64, description="flits of a message beside those of its payload")


class Home(Part):
    """The tile whose L2 answers for a line, and what that takes."""

    policy: Literal["hashed", "round_robin", "fixed"] = Field(
        description="home of a page for which the program names none: by a hash of the line's address, by the line's "
        "number modulo the tiles, or fixed_tile"
    )
    fixed_tile: int = Field(ge=0, le=1023, description='the home tile if policy = "fixed"')
    service: Cycles = Field(description="for the home's L2 to read a line, or to find that it is not there")
    directory: Cycles = Field(description="from another tile's store to the first invalidation that it causes")
    invalidate: Cycles = Field(description="between two invalidations")
    drop: Cycles = Field(description="from an invalidation's arrival to its acknowledgement")
    allocate: Cycles = Field(description="further, if another tile's store brings the line into the home's L2")
    occupancy: Cycles = Field(description="for how long a request for a line keeps the L2's port")
    occupancy_word: Cycles = Field(description="the same for a request that only writes words")
    fill: Cycles = Field(description="from a reply's arrival to the use of its data")


class Controller(Part):
    """The tile whose router a memory controller is attached to."""

    column: int = Field(ge=0, le=63, description="its column, counted from 0")
    row: int = Field(ge=0, le=63, description="its row, counted from 0")


class Shared(Part):
    """The L2 that all cores share, in banks; it is the home of every line, and lines go round the banks."""

    size: int = _bytes("data of one bank; size / (64 x ways) must be a power of two", 64, 1 << 28)
    ways: int = Field(ge=1, le=64, description="lines a set holds")
    banks: list[Controller] = Field(min_length=1, max_length=1024, description="where the banks are")
    service: Cycles = Field(description="for a bank to read a line, or to find that it is not there")
    directory: Cycles = Field(description="from a store's arrival to the first invalidation that it causes")
    invalidate: Cycles = Field(description="between two invalidations, or two recalls")
    drop: Cycles = Field(description="from an invalidation's or a recall's arrival to its answer")
    occupancy: Cycles = Field(description="for how long a request for a line keeps the bank's port")
    occupancy_word: Cycles = Field(description="the same for a request that only writes words")
    fill: Cycles = Field(description="from a reply's arrival at an L1 to the use of its data")

    @model_validator(mode="after")
    def _possible(self) -> Self:
        sets, rest = divmod(self.size, 64 * self.ways)
        if rest or not is_power_of_two(sets):
            raise ImpossibleError("size", f"({self.size}) makes no power-of-two number of sets of {self.ways} lines")
        return self


class Units(Part):
    """Of the instructions that an out-of-order core issues in a cycle, how many each kind of unit takes."""

    alu: int = Field(ge=1, le=16, description="integer arithmetic and logic")
    branch: int = Field(ge=1, le=16, description="control transfers")
    memory: int = Field(ge=1, le=16, description="addresses of loads and stores")
    multiply: int = Field(ge=1, le=16, description="multiplication and division")
    floating: int = Field(ge=1, le=16, description="floating point")


def _entries(description: str) -> Field:
    return Field(ge=1, le=1 << 20, description=description + ", a power of two")


class OutOfOrder(Part):
    """The window of a core that issues out of order; core.cost is then the time from issue to result."""

    width: int = Field(ge=1, le=16, description="instructions fetched, and retired, a cycle")
    issue_width: int = Field(ge=1, le=16, description="instructions issued a cycle, in all")
    reorder_buffer: int = Field(ge=1, le=1024, description="instructions in flight")
    load_store_queue: int = Field(ge=1, le=1024, description="loads and stores in flight")
    registers: int = Field(ge=33, le=4096, description="physical registers of each of the two files")
    mispredict: SomeCycles = Field(
        description="from a control transfer's resolution to the first instruction behind it"
    )
    redirect: Cycles = Field(description="lost by a taken control transfer whose target only decoding tells")
    local_histories: int = _entries("of the tournament predictor: local histories")
    local_history_bits: int = Field(ge=1, le=20, description="bits of a local history")
    global_counters: int = _entries("global counters, and as many that choose")
    branch_targets: int = _entries("entries of the branch target buffer")
    return_addresses: int = _entries("entries of the return-address stack")
    units: Units

    @model_validator(mode="after")
    def _possible(self) -> Self:
        for key in ("local_histories", "global_counters", "branch_targets", "return_addresses"):
            if not is_power_of_two(number := getattr(self, key)):
                raise ImpossibleError(key, f"must be a power of two, but is {number}")
        return self


class CoreKind(Part):
    """Cores of one kind, with their private L1s."""

    count: int = Field(ge=1, le=1024, description="how many; big ones come first")
    protocol: Literal["mesi", "denovo", "gpu_wt", "gpu_wb"] = Field(
        description="how their L1s keep coherent (paper 002, table I)"
    )
    interrupt: SomeCycles | None = Field(
        default=None,
        description="from the arrival of another core's interrupt to the handler's first instruction; `[uli]` needs it",
    )
    core: Core
    l1d: Cache
    l1i: Cache | None = None
    out_of_order: OutOfOrder | None = None

    @model_validator(mode="after")
    def _possible(self) -> Self:
        if self.l1d.line != 64:
            raise ImpossibleError("l1d.line", f"must be 64 beside a shared L2, but is {self.l1d.line}")
        if self.l1i and self.l1i.line != 64:
            raise ImpossibleError("l1i.line", f"must be 64 beside a shared L2, but is {self.l1i.line}")
        if self.l1i and (self.l1i.ways > 8 or self.l1i.size < 4 * self.l1i.line * self.l1i.ways):
            raise ImpossibleError("l1i.ways", f"({self.l1i.ways}) must be at most 8, in 4 sets at least")
        if self.out_of_order and self.protocol != "mesi":
            raise ImpossibleError("out_of_order", f"needs protocol = 'mesi', not '{self.protocol}'")
        return self


class UserLevelInterrupts(Part):
    """User-level interrupts between cores, on the mesh that the user network has, if there is one, or else alone."""

    inject: Cycles = Field(description="from a core into its router")
    eject: Cycles = Field(description="from the last router into a core")


class Memory(Part):
    """The memory controllers and what is behind them."""

    controllers: list[Controller] = Field(min_length=1, max_length=64, description="where the controllers are")
    stripe: int = _bytes("consecutive bytes served by one controller, a power of two", 64, 1 << 30)
    latency: Cycles = Field(description="from a request's arrival at a controller to its first data")
    write_latency: Cycles = Field(description="from a write's arrival at a controller to its acknowledgement")
    occupancy: Cycles = Field(description="for how long a line keeps the controller")

    @model_validator(mode="after")
    def _possible(self) -> Self:
        if not is_power_of_two(self.stripe):
            raise ImpossibleError("stripe", f"must be a power of two, but is {self.stripe}")
        return self


class UserNetwork(Part):
    """The network on which programs send messages themselves: a mesh of its own, with network's links and hops."""

    inject: Cycles = Field(description="from a core into its router")
    eject: Cycles = Field(description="from the last router into a queue")
    words: int = Field(ge=2, le=65536, description="words that each of a tile's queues holds")
    buffer: int = Field(
        ge=1, le=65536, description="words of one sender that the network holds while their queue is full"
    )
    interrupt: SomeCycles = Field(description="from a word's arrival to the first instruction of the handler")


class HostLink(Part):
    """The link to a host; each direction is one of its own, and the messages in it follow each other."""

    latency: SomeCycles = Field(description="from the end of a message's transfer to its arrival at the other end")
    overhead: Cycles = Field(description="for which each message keeps its direction, beside its bytes")
    bytes_per_1000_cycles: int = Field(
        ge=1,
        le=1_000_000,
        description="the bandwidth of a direction",
        json_schema_extra={"unit": "bytes per 1000 cycles"},
    )
    slot: int = _bytes("what a slot holds, and so the longest message: whole pages of 4096", 4096, 1 << 24)

    @model_validator(mode="after")
    def _possible(self) -> Self:
        if self.slot % 4096:
            raise ImpossibleError("slot", f"must be a number of whole pages of 4096, but is {self.slot}")
        return self


class Kernel(Part):
    """What the operating system costs."""

    entry: SomeCycles = Field(description="from a system call to the kernel's action")
    exit: SomeCycles = Field(description="from the action, or a wake-up, to the next user instruction")
    thread_start: Cycles = Field(description="from clone's action to the new thread's first instruction")


class Machine(Part):
    """A whole machine."""

    name: str = Field(min_length=1, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", description="what it is called")
    clock_mhz: Annotated[
        float, Field(gt=0, le=100_000, strict=False, description="its clock", json_schema_extra={"unit": "MHz"})
    ]
    cores: int = Field(ge=1, le=1024, description="cores that may hold a thread: tiles 0 to cores - 1")
    network: Network
    memory: Memory
    kernel: Kernel
    # What any machine may have.
    user_network: UserNetwork | None = None
    uli: UserLevelInterrupts | None = None
    host_link: HostLink | None = None
    # Tiles that are all alike, each with an L2 that is home to its share of the lines ...
    protocol: Literal["ddc"] | None = Field(
        default=None,
        description="of tiles whose L2s are the homes: how their caches keep coherent (paper 000, section 4.1)",
    )
    interrupt: SomeCycles | None = Field(
        default=None,
        description="of such tiles, from the arrival of another core's interrupt to the handler's first instruction; "
        "`[uli]` needs it",
    )
    core: Core | None = None
    l1d: Cache | None = None
    l2: SecondCache | None = None
    out_of_order: OutOfOrder | None = None
    home: Home | None = None
    # ... or cores with an L1 only, of one kind or two, that share an L2.
    shared: Shared | None = None
    big: CoreKind | None = None
    tiny: CoreKind | None = None

    @property
    def kinds(self) -> list[CoreKind]:
        """The kinds of cores of a machine with a shared L2, in the order of their tiles."""
        return [kind for kind in (self.big, self.tiny) if kind]

    @model_validator(mode="after")
    def _complete(self) -> Self:
        tiled, shared = ("protocol", "core", "l1d", "l2", "home"), ("shared",)
        wanted, other = (shared, (*tiled, "interrupt", "out_of_order")) if self.shared else (tiled, ("big", "tiny"))
        for key in wanted:
            if getattr(self, key) is None:
                raise ImpossibleError(key, "is missing")
        for key in other:
            if getattr(self, key) is not None:
                where = "beside a shared L2" if self.shared else "without a shared L2"
                raise ImpossibleError(key, f"has no meaning {where}")
        if self.shared and not self.kinds:
            raise ImpossibleError(
                "tiny", "is missing, and `big` too: a machine with a shared L2 has at least one of them"
            )
        if self.uli:
            of_whom = {"big": self.big, "tiny": self.tiny} if self.shared else {"": self}
            for name, kind in of_whom.items():
                if kind and kind.interrupt is None:
                    raise ImpossibleError(f"{name}.interrupt".lstrip("."), "is missing, which `uli` needs")
        return self

    @model_validator(mode="after")
    def _possible(self) -> Self:
        columns, rows = self.network.columns, self.network.rows
        tiles = columns * rows
        mesh = f"the {columns} x {rows} mesh"
        if tiles > 1024:
            raise ImpossibleError("network.columns", f"x rows ({columns} x {rows}) make more than 1024 tiles")
        if self.cores > tiles:
            raise ImpossibleError("cores", f"({self.cores}) are more than {mesh} holds ({tiles})")
        for number, place in enumerate(self.memory.controllers):
            if place.column >= columns or place.row >= rows:
                where = f"column {place.column}, row {place.row}"
                raise ImpossibleError(f"memory.controllers[{number}]", f"({where}) is outside {mesh}")
        if self.shared:
            return self._possible_with_shared_cache(tiles, mesh)
        if self.core.outstanding_stores < 3:
            raise ImpossibleError(
                "core.outstanding_stores",
                f"must be at least 3, but is {self.core.outstanding_stores}: a store makes up to three messages",
            )
        if self.l2.line != 64:
            raise ImpossibleError(
                "l2.line", f"must be 64, but is {self.l2.line}: the simulator has no other L2 lines yet"
            )
        if self.l2.hit < self.l1d.hit:
            raise ImpossibleError("l2.hit", f"({self.l2.hit}) must not be less than l1d.hit ({self.l1d.hit})")
        if self.l1d.line not in (16, 64):
            raise ImpossibleError(
                "l1d.line", f"must be 16 or 64, but is {self.l1d.line}: the simulator has no other L1 lines yet"
            )
        if self.out_of_order and self.l1d.line != 64:
            raise ImpossibleError("l1d.line", f"must be 64 for an out-of-order core, but is {self.l1d.line}")
        if self.l1d.size > self.l2.size:
            raise ImpossibleError("l1d.size", f"({self.l1d.size}) must not be larger than l2.size ({self.l2.size})")
        if self.memory.stripe < self.l2.line:
            raise ImpossibleError(
                "memory.stripe", f"({self.memory.stripe}) must hold at least an L2 line ({self.l2.line})"
            )
        if self.home.policy == "fixed" and self.home.fixed_tile >= tiles:
            raise ImpossibleError("home.fixed_tile", f"({self.home.fixed_tile}) is outside {mesh}")
        return self

    def _possible_with_shared_cache(self, tiles: int, mesh: str) -> Self:
        for number, place in enumerate(self.shared.banks):
            if place.column >= self.network.columns or place.row >= self.network.rows:
                where = f"column {place.column}, row {place.row}"
                raise ImpossibleError(f"shared.banks[{number}]", f"({where}) is outside {mesh}")
        cores = sum(kind.count for kind in self.kinds)
        if cores != self.cores:
            raise ImpossibleError("cores", f"({self.cores}) must be those of all kinds together ({cores})")
        return self
