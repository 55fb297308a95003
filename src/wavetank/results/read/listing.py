"""The results that lie in a folder and below it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from wavetank.errors import InputError
from wavetank.results import layout
from wavetank.results.facts import ExperimentFacts, StudyFacts, SweepFacts, read_facts

_DEPTH = 4  # folders below each other that are looked into


@dataclass(frozen=True)
class ListedResults:
    """The results of an experiment, a sweep or a study; `written` is when, in UTC. `warnings` counts them.

    `note` is shown for a study, which has no schedulers of its own.
    """

    path: Path
    kind: str
    name: str
    written: datetime
    schedulers: tuple[str, ...]
    runs: int
    nodes: int
    pods: int | None
    warnings: int
    note: str = ""


def list_results(folder: Path) -> list[ListedResults]:
    """Returns the results in a folder and below it, the newest first; InputError if there is no such folder."""
    if not folder.is_dir():
        raise InputError("no such folder", source=str(folder))
    return sorted(_found(folder, _DEPTH), key=lambda each: (each.written, str(each.path)), reverse=True)


def _found(folder: Path, depth: int) -> Iterator[ListedResults]:
    here = _listed(folder)
    if here is not None:
        yield here
        return
    below = [each for child in _children(folder) for each in _found(child, depth - 1)] if depth else []
    study = _study(folder, below)
    yield from below if study is None else [study, *below]


def _children(folder: Path) -> Iterator[Path]:
    for child in sorted(folder.iterdir()):
        if child.is_dir() and not child.is_symlink() and not child.name.startswith("."):
            yield child


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


def _study(folder: Path, below: Sequence[ListedResults]) -> ListedResults | None:
    """Returns the study in a folder, None if there is none; its runs are those of the results below."""
    if not (folder / layout.CLAIMS).is_file():
        return None
    try:
        facts = read_facts(folder / layout.CLAIMS, StudyFacts)
    except InputError:
        return None  # a file of that name by another program
    hold = sum(claim.verdict == "holds" for claim in facts.claims)
    nodes = max((each.nodes for each in below), default=0)
    pods = max((each.pods or 0 for each in below), default=0)
    note, runs = f"{hold} of {len(facts.claims)} claims hold", sum(each.runs for each in below)
    return ListedResults(folder, "study", facts.title, _written(folder / layout.CLAIMS), (), runs, nodes, pods, 0, note)


def _written(file: Path) -> datetime:
    return datetime.fromtimestamp(int(file.stat().st_mtime), UTC)
