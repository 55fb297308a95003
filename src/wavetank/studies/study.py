"""What a study is, and what it finds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

from wavetank.studies.charts import Cell, Drawing
from wavetank.studies.data import DataSet

Item = TypeVar("Item")


class Verdict(StrEnum):
    """Whether a published statement holds here."""

    HOLDS = "holds"
    DOES_NOT_HOLD = "does not hold"
    CANNOT_BE_CHECKED = "cannot be checked"


@dataclass(frozen=True)
class Claim:
    """A statement of the document, its figures and ours.

    `key` is a short name that stays the same (tests refer to it), `place` where the document says so ("figure 7").
    `published` and `measured` are figures with units; `published` is empty if the document gives none. `reason` says
    why a claim does not hold or cannot be checked, and is empty or a remark otherwise.
    """

    key: str
    statement: str
    place: str
    published: str
    measured: str
    verdict: Verdict
    reason: str = ""

    def __post_init__(self) -> None:
        if self.verdict is not Verdict.HOLDS and not self.reason:
            raise ValueError(f"claim {self.key}: {self.verdict}, but no reason is given")


def check(
    key: str,
    statement: str,
    place: str,
    *,
    published: str,
    measured: str,
    holds: bool,
    otherwise: str,
    remark: str = "",
) -> Claim:
    """Returns a claim that holds or does not; `otherwise` is the reason in the second case."""
    verdict = Verdict.HOLDS if holds else Verdict.DOES_NOT_HOLD
    return Claim(key, statement, place, published, measured, verdict, remark if holds else otherwise)


def unchecked(key: str, statement: str, place: str, *, published: str = "", measured: str = "", reason: str) -> Claim:
    """Returns a claim that cannot be checked."""
    return Claim(key, statement, place, published, measured, Verdict.CANNOT_BE_CHECKED, reason)


@dataclass(frozen=True)
class Table:
    """A table of the page. Columns whose cells are all numbers are aligned to the right."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    note: str = ""


@dataclass(frozen=True)
class Picture:
    """A picture of the page, also written to OUT/`name`.svg."""

    name: str
    title: str
    drawing: Drawing
    note: str = ""


@dataclass(frozen=True)
class Findings:
    """What a run of a study returns. `facts` are short: "10 seeds", "Kubernetes 1.35"."""

    claims: Sequence[Claim]
    tables: Sequence[Table] = ()
    pictures: Sequence[Picture] = ()
    facts: Sequence[str] = ()


Progress = Callable[[int, int, str], None]
"""Called with the number of finished steps, the number of all steps, and what is done next."""


def no_progress(done: int, total: int, what: str) -> None:
    """Shows nothing."""


@dataclass(frozen=True)
class StudyContext:
    """What a study is run with.

    `small` asks for the form that takes a few seconds. `runs` is a folder for the results of its runs. `folders` has
    the data sets that were found, by name. `jobs` is the number of parallel runs, one per core if None.
    """

    runs: Path
    small: bool = False
    folders: Mapping[str, Path] = field(default_factory=dict)
    jobs: int | None = None
    progress: Progress = no_progress

    def track(self, steps: Sequence[Item], describe: Callable[[Item], str] = str) -> Iterator[Item]:
        """Yields the steps and reports progress before each."""
        for done, step in enumerate(steps):
            self.progress(done, len(steps), describe(step))
            yield step
        self.progress(len(steps), len(steps), "done")


@dataclass(frozen=True)
class Study:
    """A published study that can be run again.

    `source` names the document, `summary` says in a sentence or two what it did and what is done here.
    """

    name: str
    title: str
    source: str
    summary: str
    run: Callable[[StudyContext], Findings]
    data: Sequence[DataSet] = ()
