"""MiSim's scenario (ATAM) descriptions: load and events in one sentence."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from wavetank.errors import InputError
from wavetank.microservices.misim.experiment import ExperimentReader
from wavetank.microservices.misim.fields import Fields, delay, errors_of, read_json
from wavetank.microservices.misim.profile import read_profile
from wavetank.microservices.model.actions import Action, InjectDelay, KillInstances, StartInstances
from wavetank.microservices.model.experiment import ServiceExperiment
from wavetank.microservices.model.load import Generator, ProfileLoad

_LOAD = re.compile(r"LOAD(~?)\s+(\S+)")
_EVENT = re.compile(r"(KILL|START|RESTART)\s*(?:(?!\d+@|@)(\S+)\s*)?(\d+)?\s*@\s*(\d+(?:\.\d+)?)")
_DELAY = re.compile(r"DELAY\s*(\S+?)\s*~\s*(\d+(?:\.\d+)?)\s*@\s*(\d+(?:\.\d+)?)")
_PLAIN = ("name", "description", "source", "environment", "response", "response_measure", "report", "report_type")


def is_scenario(document: Any) -> bool:
    """Returns whether a document is a scenario, not an experiment."""
    return isinstance(document, dict) and "stimulus" in document


class ScenarioReader:
    """Reads scenarios with the names and profiles of an experiment reader."""

    def __init__(self, reader: ExperimentReader) -> None:
        self._reader = reader

    def read(self, path: Path) -> ServiceExperiment:
        """Reads a scenario."""
        with errors_of(path):
            return self.parse(read_json(path))

    def parse(self, document: Any) -> ServiceExperiment:
        """Reads the document of a scenario."""
        top = Fields(document, "", self._reader.lenient)
        duration, seed, name = top.number("duration", default=-1), self._reader.seed(top), top.text("name") or ""
        top.get(*_PLAIN)
        service = self._reader.service(top, "artifact")
        operations = self._operations(top, service)
        stimulus = top.text("stimulus") or ""
        top.close()
        end = None if duration < 0 else duration
        try:
            generators, actions = self._stimulus(stimulus, service, operations)
        except InputError:
            if not self._reader.rules.drops_unreadable_scenarios:
                raise
            generators, actions = [], []
        return ServiceExperiment(tuple(generators), tuple(actions), end, seed, name)

    def _operations(self, top: Fields, service: str) -> list[str]:
        component = top.text("component") or "ALL ENDPOINTS"
        if component == "ALL ENDPOINTS":
            return self._reader.names.services[service]
        words = [word.strip() for word in component.split(",")]
        return [self._reader.names.resolve(service, word, top.at("component"))[1] for word in words]

    def _stimulus(self, text: str, service: str, operations: list[str]) -> tuple[list[Generator], list[Action]]:
        generators: list[Generator] = []
        actions: list[Action] = []
        for part in re.split(r"\s+AND\s+", text.strip()):
            if load := _LOAD.fullmatch(part):
                self._refuse_like_misim(bool(generators), part)
                points = read_profile(self._reader.find(load[2]))
                profile = ProfileLoad(points, repeating=bool(load[1]))
                generators += [Generator(service, operation, profile) for operation in operations]
            elif event := _EVENT.fullmatch(part):
                self._refuse_like_misim("." in event[4], part)
                actions.append(self._event(event, service))
            elif slow := _DELAY.fullmatch(part):
                self._refuse_like_misim(True, part)
                spread = delay("stimulus", slow[1], self._reader.rules.deviation_below_first)
                actions.append(InjectDelay(float(slow[3]), service, spread, float(slow[2])))
            else:
                raise InputError(f"expected LOAD, KILL, START or DELAY, got {part!r}", path="stimulus")
        return generators, actions

    def _refuse_like_misim(self, refused: bool, part: str) -> None:
        if refused and self._reader.rules.drops_unreadable_scenarios:
            raise InputError(f"MiSim does not read {part!r}", path="stimulus")

    def _event(self, event: re.Match[str], artifact: str) -> Action:
        service = event[2] or artifact
        if service not in self._reader.names.services:
            raise InputError(f"no such service: {service!r}", path="stimulus")
        number = int(event[3]) if event[3] else None
        time = float(event[4])
        if event[1] == "KILL":
            return KillInstances(time, service, number, goes_last=True)
        return StartInstances(time, service, number or 1)
