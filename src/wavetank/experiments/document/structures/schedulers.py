"""The structure of `schedulers` in the Experiment document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from wavetank.cluster.releases import SERVED
from wavetank.documents import types
from wavetank.documents.definitions import Definitions, Schema
from wavetank.documents.rules import Excludes, Needs, OneOf, Rule
from wavetank.documents.structure import Structure, field
from wavetank.documents.types import Type
from wavetank.errors import InputError
from wavetank.experiments.document.structures.values import ADDRESS, CLASS, NAME
from wavetank.kernel.durations import Nanoseconds
from wavetank.loop.processes.definition import PATIENCE_S
from wavetank.scheduling.named import named_schedulers

PATIENCE = f"{PATIENCE_S:g}s"

SLACK_DOC = "its timers are due at multiples of this; `1ms` lets many of them share a turn, 0 is exact"

LOCKSTEP = "lockstep"
TIMESTEP = "timestep"

CONFIG = types.either("file or mapping", types.mapping, types.file, Mapping)
_WORDS = types.items(types.text, "list of texts")


class VolcanoSpec(Structure):
    """See [volcano.md](../volcano.md)."""

    conf: str | None = field(
        Type("file or text", types.text.read, types.text.schema),
        default=None,
        otherwise="the compiled-in one",
        doc="a volcano-scheduler.conf",
    )
    period: Nanoseconds = field(types.duration, default="1s", doc="the time between two sessions")
    strict: bool = field(types.boolean, default=True, doc="`false`: without any of Volcano's known defects")
    without: list[str] | None = field(_WORDS, default=None, otherwise="[]", doc="names of known defects to leave out")

    def check(self, path: str) -> None:
        """Refuses sessions without time between them, and a list of defects if it has none of them."""
        if not self.period:
            raise InputError("sessions need some time between them", path=f"{path}.period")
        if not self.strict and self.without:
            raise InputError("expected true, or false without a list of defects", path=f"{path}.strict")


def _read_volcano(value: object, path: str) -> VolcanoSpec:
    return VolcanoSpec.read({} if value is None else value, path)


def _kebab_case(attribute: str) -> str:
    return attribute.replace("_", "-")


class _LockstepAlone:
    """The rule that lockstep has no parameters."""

    def check(self, given: Mapping[str, Any], path: str) -> None:
        if given.get("mode") == LOCKSTEP and len(given) > 1:
            raise InputError("lockstep has no parameters: it is exact", path=path)

    def schema(self) -> Schema:
        return {"if": {"properties": {"mode": {"const": LOCKSTEP}}}, "then": {"maxProperties": 1}}


class SyncSpec(Structure, rename=_kebab_case):
    """See [in-the-loop-unmodified.md](../in-the-loop-unmodified.md)."""

    rules = (_LockstepAlone(),)

    mode: str = field(
        types.choice((LOCKSTEP, TIMESTEP)),
        doc="`lockstep`: in turns; `timestep`: by real time, with Batkube's parameters below",
    )
    timeout_value: Nanoseconds = field(
        types.duration, default="20ms", doc="the most real time that the scheduler has to decide, in each cycle"
    )
    min_delay: Nanoseconds = field(types.duration, default=0, doc="the least real time that it has")
    base_simulation_timestep: Nanoseconds = field(
        types.duration, default="100ms", doc="the first time step without a decision"
    )
    max_simulation_timestep: Nanoseconds = field(types.duration, default="20s", doc="the longest one")
    backoff_multiplier: float = field(
        types.number(1, expected="1 or more"),
        default=2,
        doc="by which the time step grows while there is no decision",
    )
    fast_forward_on_no_pending_jobs: bool = field(
        types.boolean, default=False, doc="jump to the next event while no pod is pending"
    )
    detect_scheduler_deadlock: bool = field(
        types.boolean, default=False, doc="end the run if it does not react to pending pods"
    )
    scheduler_crash_timeout: Nanoseconds = field(
        types.duration, default="5s", doc="real time after which it counts as not reacting"
    )
    batsky_endpoint: str | None = field(types.text, default=None, doc="where batsky-go asks for the time")

    def check(self, path: str) -> None:
        """Refuses time steps of 0."""
        for name in ("base_simulation_timestep", "max_simulation_timestep"):
            if not getattr(self, name):
                raise InputError("a time step of 0 would never end", path=f"{path}.{_kebab_case(name)}")


_PROGRAMS = ("package", "binary", "command", "listen")


class ProcessSpec(Structure):
    """One of `package`, `binary`, `command` and `listen`. See [in-the-loop.md](../in-the-loop.md)."""

    rules = (
        OneOf(*_PROGRAMS, most=None, problem=f"expected one of {', '.join(_PROGRAMS)} (listen alone only with sync)"),
        Needs("package", "version", problem=f"expected its `version` as well, such as {SERVED.tag}"),
    )

    package: str | None = field(
        types.text, default=None, doc="the name under which `wavetank scheduler build` built it"
    )
    binary: str | None = field(types.file, default=None, doc="the program of a kube-scheduler, unmodified")
    command: list[str] | None = field(
        _WORDS, default=None, doc="any command; `{kubeconfig}`, `{server}`, `{config}` stand for what it needs"
    )
    listen: tuple[str, int] | None = field(
        ADDRESS, default=None, doc="HOST:PORT for a program that you start; with `sync`"
    )
    version: str | None = field(
        types.text,
        default=None,
        otherwise="required with package",
        doc=f"its release of Kubernetes, such as `{SERVED.tag}`; of `vc-scheduler`, Volcano's",
    )
    config: str | Mapping[str, Any] | None = field(
        CONFIG,
        default=None,
        doc="a KubeSchedulerConfiguration, which is completed; of Volcano, a volcano-scheduler.conf",
    )
    args: list[str] | None = field(_WORDS, default=None, otherwise="[]", doc="more arguments")
    patience: Nanoseconds = field(
        types.duration, default=PATIENCE, doc="how long it may run, in real time, before it waits again"
    )
    timer_slack: Nanoseconds = field(types.duration, default=0, doc=SLACK_DOC)
    sync: SyncSpec | None = field(
        types.nullable(types.nested(SyncSpec)),
        default=None,
        otherwise="{mode: lockstep}",
        doc="how it keeps step with the simulation",
    )


def _policy_schema(definitions: Definitions) -> Schema:
    return {"anyOf": [{"enum": list(named_schedulers())}, types.text.schema(definitions)]}


class PluginSpec(Structure):
    """A plugin of your own beside those of a configuration: a class with `filter`, `score`, or both."""

    python: str | type = field(CLASS, doc="`module:Class`, with the [methods of a policy](../policies.md)")
    weight: int = field(
        types.integer(1, 10_000),
        default=1,
        doc="of its scores, which are scaled to 0 to 100 before; see [policies.md]"
        "(../policies.md#a-score-beside-the-default-ones)",
    )
    name: str | None = field(
        types.nullable(types.text), default=None, otherwise="that of the class", doc="its name in explanations"
    )
    args: Mapping[str, Any] = field(types.mapping, default={}, doc="arguments of the class")


_KINDS = ("config", "policy", "python", "volcano", "process")


class SchedulerPart(Structure):
    """One of several schedulers side by side."""

    rules: ClassVar[tuple[Rule, ...]] = (
        OneOf(*_KINDS, least=0),
        Needs("args", "policy", "python", problem="args go with policy or python"),
        *(
            Excludes("plugins", kind, problem="plugins go with config, or with the default configuration")
            for kind in ("policy", "python", "volcano", "process")
        ),
    )

    name: str = field(types.text, doc="its name; alone, that of a scheduler of `wavetank schedulers`")
    config: str | Mapping[str, Any] | None = field(CONFIG, default=None, doc="a KubeSchedulerConfiguration")
    policy: str | None = field(
        Type("text", types.text.read, _policy_schema),
        default=None,
        doc="a scheduler of `wavetank schedulers`, under another name or with `args`",
    )
    python: str | type | None = field(CLASS, default=None, doc="`module:Class`, a policy of your own")
    volcano: VolcanoSpec | None = field(
        Type("mapping", _read_volcano, types.nullable(types.nested(VolcanoSpec)).schema, [("", VolcanoSpec)]),
        default=None,
        doc="Volcano's scheduler",
    )
    process: ProcessSpec | None = field(types.nested(ProcessSpec), default=None, doc="a real program in the loop")
    args: Mapping[str, Any] | None = field(
        types.mapping, default=None, otherwise="{}", doc="arguments of `policy` or `python`"
    )
    plugins: list[PluginSpec] | None = field(
        types.items(types.nested(PluginSpec)),
        default=None,
        otherwise="[]",
        doc="plugins of your own beside those of `config`, by default of kube-scheduler's default configuration",
    )
    scheduler_name: str | None = field(
        types.nullable(types.text),
        default=None,
        doc="in a part of `together`: the schedulerName of its pods",
    )


class SchedulerSpec(SchedulerPart):
    """At most one of `config`, `policy`, `python`, `volcano`, `process` and `together`."""

    rules = (
        Excludes(
            "together",
            *(name for name in SchedulerPart.fields if name != "name"),
            problem="{} does not go with together: give it to one of its parts",
        ),
        *SchedulerPart.rules,
    )

    name: str = field(NAME, doc="of its folder in the results; alone, the name of a scheduler of `wavetank schedulers`")
    together: list[SchedulerPart] | None = field(
        types.items(types.nested(SchedulerPart)), default=None, doc="several schedulers side by side on one cluster"
    )


SCHEDULERS = types.items(types.nested(SchedulerSpec))
