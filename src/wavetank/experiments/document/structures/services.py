"""The structure of `services` in the Experiment document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wavetank.cluster.fields.resources import MEMORY
from wavetank.documents import reading, types
from wavetank.documents.definitions import Definitions, Schema
from wavetank.documents.rules import OneOf
from wavetank.documents.structure import Structure, field
from wavetank.documents.types import Type
from wavetank.errors import InputError
from wavetank.experiments.document.structures.network import NetworkSpec
from wavetank.kernel.distributions import Distribution
from wavetank.kernel.durations import Nanoseconds

if TYPE_CHECKING:
    from wavetank.microservices.measures.spans import TraceFormat
    from wavetank.microservices.model.rules import PresetName

_SHARE = types.number(0, 1, "a share from 0 to 1")
_MOST_PER_SECOND = 1e9  # requests: above, arrivals would share nanoseconds
_RATE = types.number(0, _MOST_PER_SECOND, "a rate from 0 to 1e9")
_NUMBER = types.number(0, None, "a number of 0 or more")
_MOST = 1_000_000  # users, or repetitions of a call
_SIZE = types.amount(MEMORY)
_TRACE_FORMATS: tuple[TraceFormat, ...] = ("perfetto", "jaeger")
_PRESETS: tuple[PresetName, ...] = ("correct", "misim")
_POLICIES = ("ps", "fifo", "lifo", "sjn", "sarr", "mlfq")
_BALANCERS = ("random", "round-robin", "round-robin-fast", "even", "util")


def _read_call(value: object, path: str) -> CallSpec:
    return CallSpec.read(value if isinstance(value, dict) else {"operation": value}, path)


def _write_call(definitions: Definitions) -> Schema:
    return {"anyOf": [{"type": "string"}, CallSpec.refer(definitions)]}


_group = types.items(Type("text or mapping", _read_call, _write_call))


class CallSpec(Structure):
    """A call of an operation of another service, or a group of calls; groups may be nested."""

    rules = (OneOf("operation", "oneOf", "parallel", "inOrder"),)

    operation: str | None = field(types.text, default=None, doc="what is called: `service.operation`")
    one_of: list[CallSpec] | None = field(_group, default=None, doc="calls of which one is made, chosen by `weight`")
    parallel: list[CallSpec] | None = field(_group, default=None, doc="calls that are made at once")
    in_order: list[CallSpec] | None = field(_group, default=None, doc="calls that are made one after the other")
    probability: float = field(_SHARE, default=1, doc="the probability that a request makes the call or group")
    weight: float = field(_NUMBER, default=1, doc="its weight among the calls of a `oneOf`")
    times: int = field(types.integer(0, _MOST), default=1, doc="how often it is made, one after the other")
    delay: Distribution | None = field(
        types.distribution, default=None, doc="delay of the request, instead of `hop`", otherwise="`hop`"
    )
    request_size: int | None = field(_SIZE, default=None, doc="size of the request", otherwise="the operation's")
    answer_size: int | None = field(_SIZE, default=None, doc="size of the answer", otherwise="the operation's")


_call = Type("text or mapping", _read_call, _write_call, [("", CallSpec)])


class OperationSpec(Structure):
    """An operation of a service: it makes its calls, computes, and answers."""

    name: str = field(types.text, doc="its name")
    demand: Distribution = field(types.distribution, doc="CPU time on one core for each request")
    calls: list[CallSpec] = field(types.items(_call, least=0), default=[], doc="calls that it makes before")
    in_order: bool = field(types.boolean, default=False, doc="make the calls one after the other, not all at once")
    request_size: int = field(_SIZE, default=0, doc="size of a request; it crosses the links of `network`")
    answer_size: int = field(_SIZE, default=0, doc="size of an answer")


class RetrySpec(Structure):
    """Failed calls are sent again."""

    tries: int = field(types.integer(1), default=5, doc="how often a call is sent in all")
    wait: Nanoseconds = field(types.duration, default="10ms", doc="wait before the second try; it grows from there")
    factor: float = field(_NUMBER, default=3, doc="by which the wait grows with each try")
    longest: Nanoseconds = field(types.duration, default="1s", doc="the longest wait")
    jitter: bool = field(types.boolean, default=True, doc="wait a random share of that")


class BreakerSpec(Structure):
    """Calls of a service that fails too often are refused for a while."""

    threshold: float | None = field(_SHARE, default=None, doc="share of failures at which it opens", otherwise="never")
    window: Nanoseconds = field(types.duration, default="20s", doc="time over which failures are counted")
    sleep: Nanoseconds = field(types.duration, default="500ms", doc="how long it stays open before it tries again")
    limit: int | None = field(types.integer(1), default=None, doc="most open calls at once", otherwise="no limit")


class CpuSpec(Structure):
    """How the pods of a service compute their requests."""

    policy: str = field(
        types.choice(_POLICIES),
        default="ps",
        doc="`ps` (all at once, sharing the CPU), `fifo`, `lifo`, `sjn` (shortest job next), or with time slices "
        "`sarr` (self-adjusting round robin) and `mlfq` (multi-level feedback queue)",
    )
    threads: int | None = field(
        types.integer(1), default=None, otherwise="4, with `ps` no limit", doc="most requests of a pod at once"
    )


class ServiceSpec(Structure):
    """A service. Its instances are the running pods of a Deployment, which share the CPU of their nodes."""

    name: str = field(types.text, doc="its name")
    deployment: str | None = field(
        types.text, default=None, otherwise="the service's name", doc="the Deployment (or other owner) of its pods"
    )
    operations: list[OperationSpec] = field(types.items(types.nested(OperationSpec)), doc="what it offers")
    balancer: str = field(types.choice(_BALANCERS), default="random", doc="how requests are distributed among its pods")
    cpu: CpuSpec = field(types.nested(CpuSpec), default={}, doc="how its pods compute")
    retry: RetrySpec | None = field(
        types.nested(RetrySpec), default=None, otherwise="none", doc="retries of the calls that it makes"
    )
    circuit_breaker: BreakerSpec | None = field(
        types.nested(BreakerSpec),
        default=None,
        otherwise="none",
        doc="circuit breaker of the calls that it makes, for each called service",
    )


def _read_step(value: object, path: str) -> tuple[float, float]:
    pair = reading.sequence(value, path)
    if len(pair) != 2:
        raise InputError(f"expected [time, requests per second], got {value!r:.60}", path=path)
    return reading.duration(pair[0], f"{path}[0]") / 1e9, _RATE.read(pair[1], f"{path}[1]")


_step = Type(
    "[time, rate]",
    _read_step,
    {
        "type": "array",
        "items": [{}, {"type": "number", "minimum": 0, "maximum": _MOST_PER_SECOND}],
        "minItems": 2,
        "maxItems": 2,
    },
)


class DailyArrivalsSpec(Structure):
    """Poisson arrivals whose rate follows the day."""

    average: float = field(_RATE, doc="mean rate", unit="requests/s")
    swing: float = field(_SHARE, default=0.5, doc="how far the rate goes up and down")
    period: Nanoseconds = field(types.duration, default="1d", doc="how long a day is")

    def check(self, path: str) -> None:
        """Refuses days of no length."""
        if not self.period:
            raise InputError("expected a period above 0 s", path=f"{path}.period")


class ClosedSpec(Structure):
    """Users that wait for each answer and think before the next request."""

    users: int = field(types.integer(1, _MOST), doc="how many")
    think: Distribution = field(types.distribution, doc="time between an answer and the next request")


class UsersSpec(Structure):
    """Requests of users for one operation; exactly one kind of arrivals."""

    rules = (OneOf("poisson", "steps", "diurnal", "recorded", "closed"),)

    operation: str = field(types.text, doc="`service.operation`")
    poisson: float | None = field(_RATE, default=None, doc="Poisson arrivals with this rate", unit="requests/s")
    steps: list[tuple[float, float]] | None = field(
        types.items(_step), default=None, doc="Poisson arrivals: times and the rates from then on"
    )
    diurnal: DailyArrivalsSpec | None = field(
        types.nested(DailyArrivalsSpec), default=None, doc="a rate that follows the day"
    )
    recorded: str | None = field(types.file, default=None, doc="a file with lines `time,requests`, in seconds")
    closed: ClosedSpec | None = field(types.nested(ClosedSpec), default=None, doc="a fixed number of users")
    stop: Nanoseconds | None = field(types.duration, default=None, doc="no request from then on", otherwise="never")


class KillSpec(Structure):
    """Pods are deleted without a grace period, the oldest first; their controller replaces them."""

    service: str = field(types.text, doc="the service whose pods are deleted")
    instances: int | None = field(types.integer(1), default=None, otherwise="all", doc="how many")


class StartSpec(Structure):
    """A Deployment gets more pods, or fewer; an HPA may change that again."""

    service: str = field(types.text, doc="the service whose Deployment changes")
    instances: int = field(types.integer(-_MOST, _MOST), default=1, doc="how many more")


class DelaySpec(Structure):
    """Calls that a service makes take longer."""

    service: str = field(types.text, doc="the service that makes the calls")
    by: Distribution = field(types.distribution, doc="added to each call")
    operation: str | None = field(
        types.text, default=None, otherwise="all of the service", doc="only calls of this operation"
    )
    call: str | None = field(types.text, default=None, otherwise="all", doc="only calls of `service.operation`")
    lasts: Nanoseconds | None = field(types.duration, default=None, otherwise="to the end", doc="for how long")


class ActionSpec(Structure):
    """What happens to services at a time; exactly one of `kill`, `start` and `delay`."""

    rules = (OneOf("kill", "start", "delay"),)

    at: Nanoseconds = field(types.duration, doc="when")
    kill: KillSpec | None = field(types.nested(KillSpec), default=None, doc="a chaos monkey")
    start: StartSpec | None = field(types.nested(StartSpec), default=None, doc="more instances")
    delay: DelaySpec | None = field(types.nested(DelaySpec), default=None, doc="slower calls")


class TracesSpec(Structure):
    """Requests of users that are kept with all their calls, in `service_spans.csv`."""

    slowest: int = field(types.integer(0), default=5, doc="how many of the slowest requests of each operation are kept")
    every: int = field(types.integer(0), default=0, doc="also keep every n-th request; 0: none")
    formats: list[TraceFormat] = field(
        types.items(types.choice(_TRACE_FORMATS), least=0),
        default=[],
        doc="also for other programs: `perfetto` (traces.perfetto.json), `jaeger` (traces.jaeger.json)",
    )


class ServicesSpec(Structure):
    """Microservices on the cluster: requests of users, and their response times."""

    services: list[ServiceSpec] = field(types.items(types.nested(ServiceSpec)), doc="the services")
    users: list[UsersSpec] = field(types.items(types.nested(UsersSpec)), doc="the requests")
    actions: list[ActionSpec] = field(
        types.items(types.nested(ActionSpec), least=0), default=[], doc="what happens to services during the run"
    )
    preset: PresetName = field(
        types.choice(_PRESETS), default="correct", doc="`misim`: with the defects of MiSim and misim-orchestration"
    )
    hop: Distribution = field(types.distribution, default="1ms", doc="delay of a message between two services")
    timeout: Nanoseconds | None = field(types.duration, default=None, doc="timeout of a call", otherwise="never")
    network: NetworkSpec | None = field(
        types.nested(NetworkSpec), default=None, doc="latency and links between nodes", otherwise="only hops"
    )
    traces: TracesSpec = field(types.nested(TracesSpec), default={}, doc="single requests that are kept")
    interval: Nanoseconds = field(types.duration, default="10s", doc="the interval of figures over time")

    def check(self, path: str) -> None:
        """Refuses an interval without time."""
        if not self.interval:
            raise InputError("expected a time above 0 s", path=f"{path}.interval")
