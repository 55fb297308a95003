"""A sweep's results as its report reads them."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import msgspec

from wavetank.errors import InputError


class SchedulerFacts(msgspec.Struct):
    """A scheduler of a scenario."""

    name: str
    description: str


class ScenarioFacts(msgspec.Struct):
    """What sweep.json says of a scenario."""

    name: str
    nodes: int
    workload: str
    pods: int | None
    schedulers: list[SchedulerFacts]
    seeds: list[int]


class SweepFacts(msgspec.Struct):
    """What sweep.json says."""

    wavetank: str
    name: str
    scenarios: list[ScenarioFacts]
    failures: list[str]


class SweepFolder:
    """The folder of a finished sweep; InputError if it is none."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self.facts = msgspec.json.decode((path / "sweep.json").read_bytes(), type=SweepFacts)
        except FileNotFoundError:
            raise InputError("holds no results of a sweep", source=str(path)) from None
        except msgspec.DecodeError as error:
            raise InputError(f"cannot be read: {error}", source=str(path / "sweep.json")) from None
        self.rows = self._table("summary.csv")
        self.comparisons = self._table("comparisons.csv")
        self.boxes = self._table("latencies.csv")

    @property
    def schedulers(self) -> list[str]:
        """Returns the names of all schedulers, in the order in which scenarios have them."""
        return list(dict.fromkeys(each.name for scenario in self.facts.scenarios for each in scenario.schedulers))

    def descriptions(self) -> dict[str, str]:
        """Returns what each scheduler is, by its name."""
        all_of_them = [each for scenario in self.facts.scenarios for each in scenario.schedulers]
        return {name: next(each.description for each in all_of_them if each.name == name) for name in self.schedulers}

    def _table(self, name: str) -> list[dict[str, Any]]:
        with (self.path / name).open(newline="", encoding="utf-8") as file:
            return [{key: _cell(value) for key, value in row.items()} for row in csv.DictReader(file)]


def _cell(text: str) -> Any:
    if text == "":
        return None
    try:
        return float(text)
    except ValueError:
        return text
