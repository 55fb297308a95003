"""What must hold of the results of any run, recomputed from its files with nothing of wavetank."""

from __future__ import annotations

import csv
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from pathlib import Path

Row = Mapping[str, str]
Capacity = Mapping[str, Fraction]

_SUFFIXES = {"m": Fraction(1, 1000), "k": Fraction(1000), "M": Fraction(10**6), "G": Fraction(10**9)}
_SUFFIXES |= {f"{letter}i": Fraction(1024**power) for power, letter in enumerate("KMGT", 1)}
_NEVER_THERE = (
    "OutOf",
    "NodeAffinity",
    "UnexpectedAdmissionError",
    "NodePorts",
)  # reasons: the kubelet has rejected it


def amount(text: str) -> Fraction:
    """Reads a quantity."""
    for suffix in sorted(_SUFFIXES, key=len, reverse=True):
        if text.endswith(suffix):
            return Fraction(text.removesuffix(suffix)) * _SUFFIXES[suffix]
    return Fraction(text)


def rows_of(path: Path) -> list[Row]:
    """Reads a table."""
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def problems_of_run(folder: Path, capacities: Mapping[str, Capacity], submitted: Iterable[str]) -> Iterator[str]:
    """Yields what is wrong with a run; `capacities` are the nodes that are known, `submitted` names of pods."""
    pods = rows_of(folder / "pods.csv")
    names = [f"{row['namespace']}/{row['name']}" for row in pods]
    known = set(names)
    yield from (f"{name} is lost" for name in submitted if f"default/{name}" not in known)
    for row in pods:
        yield from _disorder(row)
    yield from (f"{row['name']} is on a node that does not exist" for row in pods if row["node"] == "missing")
    for node in {row["node"] for row in pods} & set(capacities):
        yield from _overcommitment(node, [row for row in pods if row["node"] == node], capacities[node])


def _disorder(row: Row) -> Iterator[str]:
    times = [float(row[name]) for name in ("submitted", "scheduled", "started", "finished") if row[name]]
    if times != sorted(times):
        yield f"{row['name']}: times are not in order: {times}"
    if (row["phase"] in ("Succeeded", "Failed")) != bool(row["finished"]):
        yield f"{row['name']}: is {row['phase']}, finished {row['finished']!r}"
    if bool(row["scheduled"]) != bool(row["node"]):
        yield f"{row['name']}: scheduled {row['scheduled']!r}, node {row['node']!r}"


def _overcommitment(node: str, pods: list[Row], capacity: Capacity) -> Iterator[str]:
    """Adds up what the pods of a node hold at every instant: each resource, and each GPU."""
    changes: dict[str, list[tuple[float, Fraction]]] = defaultdict(list)
    for row in pods:
        if row["reason"].startswith(_NEVER_THERE):
            continue
        begin, end = float(row["scheduled"]), float(row["finished"] or math.inf)
        for resource, held in _held(row):
            changes[resource] += [(begin, held), (end, -held)]
    for resource, steps in changes.items():
        most = Fraction(1) if resource.startswith("gpu ") else capacity.get(resource, Fraction(0))
        level = Fraction(0)
        for time, change in sorted(steps):  # at one instant what is given back comes first
            level += change
            if level > most:
                yield f"{node}: {float(level):g} of {float(most):g} {resource} are held at {time:g}"
                break


def _held(row: Row) -> Iterator[tuple[str, Fraction]]:
    yield "pods", Fraction(1)
    for each in filter(None, row["requests"].split(";")):
        resource, _, quantity = each.partition("=")
        if amount(quantity):
            yield resource, amount(quantity)
    devices = [each for each in (row.get("gpus") or "").split("-") if each]
    for device in devices:
        yield f"gpu {device}", Fraction(int(row.get("gpu_milli") or 0), 1000 * len(devices))


def problems_of_summary(summary: Row, pods: list[Row]) -> Iterator[str]:
    """Yields figures of a summary that the rows of the pods contradict."""
    waits = [float(row["started"]) - float(row["submitted"]) for row in pods if row["started"]]
    ended = [row for row in pods if row["finished"]]
    turnarounds = [float(row["finished"]) - float(row["submitted"]) for row in ended]
    first = min((float(row["submitted"]) for row in pods), default=0.0)
    expected: dict[str, float | None] = {
        "pods": len(pods),
        "scheduled_pods": sum(bool(row["scheduled"]) for row in pods),
        "unscheduled_pods": sum(not row["scheduled"] for row in pods),
        "succeeded_pods": sum(row["phase"] == "Succeeded" for row in pods),
        "failed_pods": sum(row["phase"] == "Failed" for row in pods),
        "nodes_used": len({row["node"] for row in pods} - {""}),
        "mean_waiting_time_s": sum(waits) / len(waits) if waits else None,
        "max_waiting_time_s": max(waits, default=None),
        "mean_turnaround_s": sum(turnarounds) / len(turnarounds) if turnarounds else None,
        "makespan_s": max(float(row["finished"]) for row in ended) - first if ended else None,
    }
    for name, value in expected.items():
        said = float(summary[name]) if summary[name] else None
        alike = (
            said is value if said is None or value is None else math.isclose(said, value, rel_tol=1e-6, abs_tol=1e-5)
        )
        if not alike:
            yield f"{name} is {said}, the pods say {value}"


def files_of(folder: Path) -> dict[str, bytes]:
    """Returns the files of results whose bytes do not depend on the machine."""
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in paths
        if path.name not in ("wall.json", "report.html")
    }
