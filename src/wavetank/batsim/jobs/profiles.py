"""What jobs do, step by step."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import Any, NamedTuple

from wavetank.documents import reading as fields
from wavetank.errors import InputError
from wavetank.kernel.durations import Nanoseconds
from wavetank.workloads.formats.batsim.profiles import Profiles, read_ranks

STORAGE = -1  # in the place of a rank: the storage of the profile
DELAY, COMPOSED, STAGING = "delay", "composed", "data_staging"
ANY_SIZE = ("parallel_homogeneous_total", COMPOSED)  # run on another number of machines than was requested

_REFUSED = {
    "smpi": "SMPI traces are not simulated",
    "usage_trace": "usage traces are not simulated",
    "send": "messages between job and scheduler are not simulated",
    "recv": "messages between job and scheduler are not simulated",
}
_MOST_RANKS = 2000  # of a step whose ranks all send to each other: their number squared is stored


class Transfer(NamedTuple):
    """Bytes from one rank to another."""

    source: int
    target: int
    size: float


class Step(NamedTuple):
    """A leaf of a profile: time that passes, or work that all ranks do together.

    `flops` and `transfers` are those of the ranks, empty for a delay. `storages` are the labels of the storages that a
    transfer from or to STORAGE means: one, or for data staging the source and the target.
    """

    profile: str
    exit_code: int
    delay: Nanoseconds = 0
    flops: Sequence[float] = ()
    transfers: Sequence[Transfer] = ()
    storages: tuple[str, ...] = ()


class Progress(NamedTuple):
    """The composed profile that a job is in: how many of its parts have begun before the present one."""

    profile: str
    begun: int


class Catalogue:
    """The profiles of one workload."""

    def __init__(self, profiles: Mapping[str, Any]) -> None:
        self.raw: dict[str, Any] = dict(profiles)
        self._profiles = Profiles(self.raw)
        self._kinds: dict[str, str] = {}
        self._steps: dict[tuple[str, int], Step] = {}

    def kind(self, name: str) -> str:
        """Returns a profile's type by its present name; InputError if there is no such profile."""
        kind = self._kinds.get(name)
        if kind is None:
            if name not in self.raw:
                raise InputError(f"there is no profile {name!r:.60}")
            kind = self._kinds[name] = self._profiles.kind(name)
        return kind

    def check(self, name: str, size: int, inside: tuple[str, ...] = ()) -> None:
        """Raises InputError if a job of `size` machines cannot run the profile."""
        if self.kind(name) != COMPOSED:
            self.step(name, size)
            return
        if name in inside or len(inside) >= 50:
            why = "contains itself" if name in inside else "is nested too deep"
            raise InputError(f"the profile {why}", path=f"profiles.{name}")
        for part in self._parts(name):
            self.check(part, size, (*inside, name))

    def steps(self, name: str, size: int, trail: list[Progress]) -> Generator[Step, None, int]:
        """Yields the steps of a job in their order and returns its exit code: the first that is not 0 ends it.

        `trail` holds the composed profiles that the present step is in, from the outermost.
        """
        if self.kind(name) != COMPOSED:
            step = self.step(name, size)
            yield step
            return step.exit_code
        raw, parts = self._profiles.raw(name), self._parts(name)
        trail.append(Progress(name, 0))
        for index in range(self._repeat(raw, name) * len(parts)):
            trail[-1] = Progress(name, index)
            code = yield from self.steps(parts[index % len(parts)], size, trail)
            if code:
                return code
        trail.pop()
        return _exit_code(raw, name)

    def step(self, name: str, size: int) -> Step:
        """Reads a profile that is not composed."""
        if (name, size) not in self._steps:
            self._steps[name, size] = _read(self._profiles.raw(name), self.kind(name), name, size)
        return self._steps[name, size]

    def add(self, name: str, profile: Mapping[str, Any]) -> None:
        """Adds a profile; as in Batsim, a profile that exists is kept."""
        self.raw.setdefault(name, profile)

    def _parts(self, name: str) -> list[str]:
        path = f"profiles.{name}.seq"
        return [
            fields.text(part, f"{path}[{i}]") for i, part in enumerate(fields.items(self.raw[name].get("seq"), path))
        ]

    def _repeat(self, raw: Mapping[str, Any], name: str) -> int:
        return fields.integer(raw.get("repeat", raw.get("nb", 1)), f"profiles.{name}.repeat", 1, 10**9)


def _exit_code(raw: Mapping[str, Any], name: str) -> int:
    return fields.integer(raw.get("ret", 0), f"profiles.{name}.ret", -(2**31), 2**31 - 1)


def _read(raw: Mapping[str, Any], kind: str, name: str, size: int) -> Step:
    path, code = f"profiles.{name}", _exit_code(raw, name)
    if kind == DELAY:
        return Step(name, code, delay=fields.duration(raw.get("delay"), f"{path}.delay"))
    if kind == "parallel":
        return Step(name, code, flops=read_ranks(raw, size, path), transfers=_matrix(raw, size, path))
    if kind in ("parallel_homogeneous", "parallel_homogeneous_total"):
        share = size if kind.endswith("total") else 1
        flops = fields.number(raw.get("cpu", 0), f"{path}.cpu") / share
        sent = fields.number(raw.get("com", 0), f"{path}.com") / share
        return Step(name, code, flops=[flops] * size, transfers=_all_to_all(sent, size, path))
    if kind == "parallel_homogeneous_pfs":
        return _storage_step(raw, name, code, size)
    if kind == STAGING:
        ends = tuple(fields.text(raw.get(key), f"{path}.{key}") for key in ("from", "to"))
        moved = Transfer(STORAGE, STORAGE, fields.number(raw.get("nb_bytes"), f"{path}.nb_bytes"))
        return Step(name, code, transfers=(moved,), storages=ends)
    known = f"{kind} profiles: {_REFUSED[kind]}" if kind in _REFUSED else f"unknown type {kind!r:.60}"
    raise InputError(known, path=f"{path}.type")


def _matrix(raw: Mapping[str, Any], size: int, path: str) -> tuple[Transfer, ...]:
    if raw.get("com") is None:
        return ()
    sent = fields.items(raw["com"], f"{path}.com")
    if len(sent) != size * size:
        raise InputError(f"expected {size} times {size} values, got {len(sent)}", path=f"{path}.com")
    amounts = [fields.number(amount, f"{path}.com[{i}]") for i, amount in enumerate(sent)]
    return tuple(Transfer(*divmod(i, size), amount) for i, amount in enumerate(amounts) if amount)


def _all_to_all(sent: float, size: int, path: str) -> tuple[Transfer, ...]:
    """Homogeneous communication is between different hosts: a single one has none."""
    if not sent or size == 1:
        return ()
    if size > _MOST_RANKS:
        raise InputError(f"communication among more than {_MOST_RANKS} machines is not simulated", path=f"{path}.com")
    return tuple(Transfer(i, j, sent) for i in range(size) for j in range(size) if i != j)


def _storage_step(raw: Mapping[str, Any], name: str, code: int, size: int) -> Step:
    """Each rank reads from and writes to a storage."""
    path = f"profiles.{name}"
    read = fields.number(raw.get("bytes_to_read", 0), f"{path}.bytes_to_read")
    written = fields.number(raw.get("bytes_to_write", 0), f"{path}.bytes_to_write")
    label = fields.text(raw.get("storage", raw.get("host", "pfs")), f"{path}.storage")
    reads = (Transfer(STORAGE, rank, read) for rank in range(size) if read)
    writes = (Transfer(rank, STORAGE, written) for rank in range(size) if written)
    return Step(name, code, transfers=(*reads, *writes), storages=(label,))
