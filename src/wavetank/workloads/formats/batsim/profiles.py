"""What the jobs of a Batsim workload do, as far as it needs no network and no storage."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from wavetank.documents import reading as fields
from wavetank.errors import InputError
from wavetank.kernel.durations import Nanoseconds

# Names before Batsim 3.0.
_OLD_NAMES = {
    "msg_par": "parallel",
    "msg_par_hg": "parallel_homogeneous",
    "msg_par_hg_tot": "parallel_homogeneous_total",
    "msg_par_hg_pfs": "parallel_homogeneous_pfs",
}
_UNSUPPORTED = {
    "parallel_homogeneous_pfs": "a storage model",
    "data_staging": "a storage model",
    "smpi": "SMPI traces",
    "usage_trace": "usage traces",
    "send": "messages between job and scheduler",
    "recv": "messages between job and scheduler",
}
_SUPPORTED = ("delay", "parallel", "parallel_homogeneous", "parallel_homogeneous_total", "composed")
_MOST_REPEATS = 10**9
_DEEPEST = 50  # levels of composed profiles; also keeps a hostile file from exhausting the stack


class Work(NamedTuple):
    """What one rank of a job does: time that passes anyway, and work that takes time by the host's speed."""

    duration: Nanoseconds
    flops: float
    exit_code: int


class Profiles:
    """The profiles of a workload; only those that jobs use have to be such as can be simulated."""

    def __init__(self, profiles: object) -> None:
        self._profiles = fields.mapping(profiles, "profiles")
        self._works: dict[tuple[str, int], Work] = {}

    def raw(self, name: str) -> Mapping[str, Any]:
        """Returns a profile as it is written."""
        return fields.mapping(self._profiles[name], f"profiles.{name}")

    def kind(self, name: str) -> str:
        """Returns a profile's type, by its present name."""
        kind = fields.text(self.raw(name).get("type"), f"profiles.{name}.type")
        return _OLD_NAMES.get(kind, kind)

    def work(self, name: str, size: int, inside: tuple[str, ...] = ()) -> Work:
        """Returns what each of `size` ranks does; `inside` names the composed profiles around this one.

        All ranks end together, so each is given as much as the rank that has most to do.
        """
        if name not in self._profiles:
            where = f"profiles.{inside[-1]}.seq" if inside else ""
            raise InputError(f"there is no profile {name!r:.60}", path=where)
        if name in inside or len(inside) >= _DEEPEST:
            why = "contains itself" if name in inside else f"is nested more than {_DEEPEST} deep"
            raise InputError(f"the profile {why}", path=f"profiles.{name}")
        if (name, size) not in self._works:
            self._works[name, size] = self._read(name, size, inside)
        return self._works[name, size]

    def _read(self, name: str, size: int, inside: tuple[str, ...]) -> Work:
        profile, kind, path = self.raw(name), self.kind(name), f"profiles.{name}"
        if kind not in _SUPPORTED:
            raise InputError(_refusal(kind), path=f"{path}.type")
        exit_code = fields.integer(profile.get("ret", 0), f"{path}.ret", -(2**31), 2**31 - 1)
        if kind == "composed":
            return self._sequence(name, size, (*inside, name), exit_code)
        if kind == "delay":
            return Work(fields.duration(profile.get("delay"), f"{path}.delay"), 0.0, exit_code)
        return Work(0, _flops(profile, kind, size, path), exit_code)

    def _sequence(self, name: str, size: int, inside: tuple[str, ...], exit_code: int) -> Work:
        """Adds up the parts; as in Batsim, the first one that fails ends the whole with its exit code."""
        profile, path = self.raw(name), f"profiles.{name}"
        repeat = fields.integer(profile.get("repeat", profile.get("nb", 1)), f"{path}.repeat", 1, _MOST_REPEATS)
        duration, flops = 0, 0.0
        for i, part in enumerate(fields.items(profile.get("seq"), f"{path}.seq")):
            work = self.work(fields.text(part, f"{path}.seq[{i}]"), size, inside)
            duration, flops = duration + work.duration, flops + work.flops
            if work.exit_code:
                repeat, exit_code = 1, work.exit_code
                break
        if repeat * duration > fields.LONGEST or not math.isfinite(repeat * flops):
            raise InputError("takes longer than a century", path=path)
        return Work(repeat * duration, repeat * flops, exit_code)


def _refusal(kind: str) -> str:
    if kind in _UNSUPPORTED:
        return f"{kind} profiles need {_UNSUPPORTED[kind]}, which wavetank does not have"
    return f"unknown type {kind!r:.60}: expected one of {', '.join(_SUPPORTED)}"


def _flops(profile: Mapping[str, Any], kind: str, size: int, path: str) -> float:
    if kind == "parallel":
        return _flops_by_rank(profile, size, path)
    # Homogeneous communication is between different hosts: a single one has none.
    if fields.number(profile.get("com", 0), f"{path}.com") and size > 1:
        raise _no_network(f"{path}.com")
    flops = fields.number(profile.get("cpu"), f"{path}.cpu")
    return flops / size if kind == "parallel_homogeneous_total" else flops


def read_ranks(profile: Mapping[str, Any], size: int, path: str) -> list[float]:
    """Reads the flops of each of `size` ranks of a parallel profile."""
    ranks = fields.items(profile.get("cpu"), f"{path}.cpu")
    if len(ranks) != size:
        raise InputError(f"expected {size} values, one per resource of the job, got {len(ranks)}", path=f"{path}.cpu")
    return [fields.number(flops, f"{path}.cpu[{i}]") for i, flops in enumerate(ranks)]


def _flops_by_rank(profile: Mapping[str, Any], size: int, path: str) -> float:
    ranks = read_ranks(profile, size, path)
    if profile.get("com") and any(fields.number(sent, f"{path}.com") for sent in fields.items(profile["com"], path)):
        raise _no_network(f"{path}.com")
    return max(ranks)


def _no_network(path: str) -> InputError:
    return InputError("communication needs a network model, which wavetank does not have: expected only 0", path=path)
