"""MiSim's experiment descriptions."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from wavetank.errors import InputError
from wavetank.microservices.misim.fields import Fields, delay, errors_of, hint, read_json
from wavetank.microservices.misim.names import Names
from wavetank.microservices.misim.profile import read_profile
from wavetank.microservices.model.actions import Action, InjectDelay, KillInstances, KillPods, StartInstances
from wavetank.microservices.model.architecture import Architecture
from wavetank.microservices.model.experiment import ServiceExperiment
from wavetank.microservices.model.load import Generator, IntervalLoad, Load, ProfileLoad
from wavetank.microservices.model.rules import Rules

_INTERVAL = ("interval", "constant", "fixed")
_PROFILE = ("limbo", "limbo_generator", "dynamic", "variable")
_KILL = ("chaosmonkey", "chaos_monkey", "monkey")
_START = ("summoner", "summoner_monkey", "summon")
_DELAY = ("delay", "delay_injection")
KILL_PODS = ("chaosmonkey_pods", "chaos_monkey_pods", "monkey_pods")
KILL_CONTAINERS = ("aiming_chaos_monkey_pods",)


_INSTANCES = ("instances", "instance_count", "killed_instance_count", "killed_instances", "summoned_instances")


class ExperimentReader:
    """Reads experiments for one architecture; profiles are looked up in `folders`, in this order."""

    def __init__(self, architecture: Architecture, rules: Rules, folders: tuple[Path, ...], lenient: bool) -> None:
        self.rules = rules
        self.lenient = lenient
        self.names = Names(rules.prefix_means_qualified)
        for service in architecture.services:
            self.names.declare(service.name, [operation.name for operation in service.operations])
        self._folders = folders

    def read(self, path: Path) -> ServiceExperiment:
        """Reads an experiment."""
        with errors_of(path):
            return self.parse(read_json(path))

    def parse(self, document: Any) -> ServiceExperiment:
        """Reads the document of an experiment."""
        top = Fields(document, "", self.lenient)
        path, metadata = top.get("simulation_meta_data", "simulation_metadata")
        name, duration, seed = self._metadata(Fields(metadata or {}, path, self.lenient))
        generators = [
            self._generator(Fields(value, where, self.lenient))
            for where, value in top.objects("request_generators", "generators", "load_generators")
        ]
        actions = [self._action(Fields(value, where, self.lenient)) for where, value in _entries(top)]
        found = tuple(action for action in actions if action is not None)
        return ServiceExperiment(tuple(generators), found, duration, seed, name)

    def _metadata(self, fields: Fields) -> tuple[str, float | None, int | None]:
        name = fields.text("experiment_name", "name") or ""
        duration = fields.number("duration", default=-1)
        seed = self.seed(fields)
        fields.get("model_name", "report_type", "time_unit", "report_directory", "description", "report")
        fields.close()
        return name, None if duration < 0 else duration, seed

    def seed(self, fields: Fields) -> int | None:
        """Reads the seed: a number, or a text with one."""
        path, value = fields.get("seed")
        if value is None:
            return None
        try:
            return int(value)
        except (TypeError, ValueError):
            raise InputError(f"expected a whole number, got {value!r:.60}", path=path) from None

    def _generator(self, entry: Fields) -> Generator:
        kind = entry.text("type")
        path, value = entry.get("config")
        entry.close()
        if kind is None:
            raise InputError("expected a type: interval or limbo", path=entry.at("type"))
        if kind not in (*_INTERVAL, *_PROFILE):
            raise InputError(f"unknown type {kind!r}{hint(kind, (*_INTERVAL, *_PROFILE))}", path=entry.at("type"))
        config = Fields(value or {}, path, self.lenient)
        operation_path, _ = config.get("operation", "target_operation", "target")
        operation = config.text("operation", "target_operation", "target")
        target = self.names.resolve(config.text("microservice"), operation, operation_path)
        config.text("name", "generator_name")
        load = self._interval(config) if kind in _INTERVAL else self._profile(config)
        config.close()
        return Generator(*target, load)

    def _interval(self, config: Fields) -> Load:
        start, stop, _, _, _ = _common(config)
        interval = config.number("interval", "inter_arrival_time", default=1, least=0)
        load = config.number("load", "load_per_interval", default=1, least=0)
        words = ("distribution", "dist_strat", "distribution_strategy", "dist_strategy")
        spike = (config.text(*words) or "even") != "even"
        if not interval:
            raise InputError("expected a number above 0, got 0", path=config.at("interval"))
        if not load and not spike and self.rules.refuses_load_zero:
            raise InputError("MiSim aborts with a load of 0", path=config.at("load"))
        return IntervalLoad(interval, load, spike, start, stop)

    def _profile(self, config: Fields) -> Load:
        start, stop, repeating, passes, skip = _common(config)
        path, value = config.get("model", "limbo_model", "limbo_file", "file", "limbo", "profile")
        if not isinstance(value, str):
            raise InputError("expected the path of a profile", path=path)
        try:
            points = read_profile(self.find(value))
        except InputError as error:
            raise error.inside(path=path) from None
        return ProfileLoad(points, start, stop, repeating, passes, skip)

    def find(self, name: str) -> Path:
        """Returns the path of a profile: of the first folder that has it, or by its name alone."""
        candidates = [folder / name for folder in self._folders]
        candidates += [folder / Path(*Path(name).parts[1:]) for folder in self._folders if len(Path(name).parts) > 1]
        candidates += [folder / Path(name).name for folder in self._folders]
        return next((path for path in candidates if path.is_file()), candidates[0])

    def _action(self, entry: Fields) -> Action | None:
        kind = entry.text("type") or ""
        path, value = entry.get("config")
        entry.close()
        known = (*_KILL, *_START, *_DELAY, *KILL_PODS, *KILL_CONTAINERS)
        if kind not in known:
            if self.lenient:
                return None
            raise InputError(f"unknown type {kind!r}{hint(kind, known)}", path=entry.at("type"))
        config = Fields(value or {}, path, self.lenient)
        action = self._read_action(kind, config)
        config.close()
        return action

    def _read_action(self, kind: str, config: Fields) -> Action:
        names = ("time", "start", "arrival_time", "initial_arrival_time", "target_time")
        time = config.number(*names, default=0, least=0)
        config.text("name")
        if kind in _DELAY:
            return self._injection(config, time)
        if kind in KILL_PODS or kind in KILL_CONTAINERS:
            return _kill_pods(config, time, kind in KILL_CONTAINERS)
        service = self.service(config, "microservice")
        if kind in _START:
            return StartInstances(time, service, config.whole(*_INSTANCES, default=1))
        number = config.whole(*_INSTANCES, default=-1)
        return KillInstances(time, service, None if number < 0 else number)

    def service(self, config: Fields, field: str) -> str:
        """Reads the name of a service."""
        name = config.text(field)
        if name is None or name not in self.names.services:
            raise InputError(f"no such service: {name!r}{hint(name or '', self.names.services)}", path=config.at(field))
        return name

    def _injection(self, config: Fields, time: float) -> InjectDelay:
        service = self.service(config, "microservice")
        source, target = config.text("operation_src"), config.text("operation_trg")
        path, value = config.get("delay", "delay_distribution", "distribution")
        duration = config.number("duration", default=0)
        return InjectDelay(
            time,
            service,
            delay(path, value, self.rules.deviation_below_first),
            duration if duration > 0 else None,
            None if source is None else self.names.resolve(service, source, config.at("operation_src"))[1],
            None if target is None else self.names.resolve(None, target, config.at("operation_trg")),
        )


def _entries(top: Fields) -> list[tuple[str, Any]]:
    """Returns the actions: every object that is left, alone or in lists."""
    found: list[tuple[str, Any]] = []
    for path, value in top.rest():
        if isinstance(value, list):
            found += [(f"{path}[{i}]", entry) for i, entry in enumerate(value)]
        elif isinstance(value, Mapping):
            found.append((path, value))
        elif not top.lenient:
            raise InputError("unknown field", path=path)
    return found


def _kill_pods(config: Fields, time: float, aims: bool) -> KillPods:
    """Reads a chaos monkey of misim-orchestration; whether there is such a deployment is known later."""
    deployment = config.text("deployment")
    if not deployment:
        raise InputError("expected the name of a deployment", path=config.at("deployment"))
    service, retries = config.text("service"), config.whole("retries", default=0, least=0)
    number = config.whole(*_INSTANCES, default=0, least=0)
    return KillPods(time, deployment, number, service if aims else None, retries if aims else 0)


def _common(config: Fields) -> tuple[float, float | None, bool, int | None, float]:
    start = config.number("start", "initial_arrival_time", "arrival_time", default=0, least=0)
    stop = config.number("stop", "final_time", "stop_time", "end", "end_time", default=-1)
    passes = config.number("repetitions", "max_repetitions", default=-1)
    skip = config.number("skip", "repetition_skip", "repetition", default=0)
    repeating = config.flag("repeating")
    return start, None if stop < 0 else stop, repeating, None if passes < 0 else int(passes), skip
