from __future__ import annotations

from pathlib import Path
from typing import Any

from wavetank.errors import InputError
from wavetank.results import layout
from wavetank.results.facts import SweepFacts, read_facts
from wavetank.results.read.frames import read_table
from wavetank.results.schema import COMPARISONS, LATENCIES, SWEEP_SUMMARY, Table


class SweepFolder:
    """The results of a sweep; InputError if the folder holds none."""

    def __init__(self, path: Path) -> None:
        self.path = path
        if not (path / layout.SWEEP).is_file():
            raise InputError("holds no results of a sweep", source=str(path))
        self.facts = read_facts(path / layout.SWEEP, SweepFacts)
        self.rows = self._table(SWEEP_SUMMARY)
        self.comparisons = self._table(COMPARISONS)
        self.latencies = self._table(LATENCIES)

    @property
    def schedulers(self) -> list[str]:
        """Returns the names of all schedulers, in the order of the scenarios."""
        return list(self.descriptions())

    def descriptions(self) -> dict[str, str]:
        """Returns the description of each scheduler by its name, that of the first scenario that has it."""
        descriptions: dict[str, str] = {}
        for scheduler in (each for scenario in self.facts.scenarios for each in scenario.schedulers):
            descriptions.setdefault(scheduler.name, scheduler.description)
        return descriptions

    def _table(self, table: Table) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = read_table(self.path, table, "rows")
        return rows
