"""The results that lie in a folder and below it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from wavetank.errors import InputError
from wavetank.results import layout
from wavetank.results.facts import ExperimentFacts, SweepFacts, read_facts

_DEPTH = 4  # folders below each other that are looked into


@dataclass(frozen=True)
class ListedResults:
    """The results of an experiment or a sweep; `written` is when, in UTC. `warnings` counts them."""

    path: Path
    kind: str
    name: str
    written: datetime
    schedulers: tuple[str, ...]
    runs: int
    nodes: int
    pods: int | None
    warnings: int


def list_results(folder: Path) -> list[ListedResults]:
    """Returns the results in a folder and below it, the newest first; InputError if there is no such folder."""
    if not folder.is_dir():
        raise InputError("no such folder", source=str(folder))
    return sorted(_found(folder, _DEPTH), key=lambda each: (each.written, str(each.path)), reverse=True)


def _found(folder: Path, depth: int) -> Iterator[ListedResults]:
    here = _listed(folder)
    if here is not None:
        yield here
    elif depth:
        for child in sorted(folder.iterdir()):
            if child.is_dir() and not child.is_symlink() and not child.name.startswith("."):
                yield from _found(child, depth - 1)


def _listed(folder: Path) -> ListedResults | None:
    try:
        if (folder / layout.SWEEP).is_file():
            return _sweep(folder, read_facts(folder / layout.SWEEP, SweepFacts))
        if (folder / layout.EXPERIMENT).is_file():
            return _experiment(folder, read_facts(folder / layout.EXPERIMENT, ExperimentFacts))
    except InputError:
        return None  # a file of that name by another program
    return None


def _experiment(folder: Path, facts: ExperimentFacts) -> ListedResults:
    names = tuple(scheduler.name for scheduler in facts.schedulers)
    written = _written(folder / layout.EXPERIMENT)
    pods, nodes, runs = facts.workload.pods, facts.cluster.nodes, len(names) * len(facts.seeds)
    return ListedResults(folder, "experiment", facts.name, written, names, runs, nodes, pods, len(facts.warnings))


def _sweep(folder: Path, facts: SweepFacts) -> ListedResults:
    names = dict.fromkeys(each.name for scenario in facts.scenarios for each in scenario.schedulers)
    runs = sum(len(scenario.schedulers) * len(scenario.seeds) for scenario in facts.scenarios)
    nodes = max((scenario.nodes for scenario in facts.scenarios), default=0)
    pods = max((scenario.pods or 0 for scenario in facts.scenarios), default=0)
    written = _written(folder / layout.SWEEP)
    return ListedResults(folder, "sweep", facts.name, written, tuple(names), runs, nodes, pods, len(facts.failures))


def _written(file: Path) -> datetime:
    return datetime.fromtimestamp(int(file.stat().st_mtime), UTC)
