"""`services` of an experiment: the model that requests run on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from wavetank.errors import InputError
from wavetank.experiments.document.structures.network import NetworkSpec
from wavetank.experiments.document.structures.services import (
    ActionSpec,
    BreakerSpec,
    CallSpec,
    CpuSpec,
    OperationSpec,
    RetrySpec,
    ServiceSpec,
    ServicesSpec,
    UsersSpec,
)
from wavetank.kernel.distributions import Constant
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.microservices.cluster.services import ServicesSetting
from wavetank.microservices.cluster.topology import Connection, NetworkSetting
from wavetank.microservices.measures.spans import TraceSetting
from wavetank.microservices.misim.fields import hint
from wavetank.microservices.misim.names import Names
from wavetank.microservices.misim.profile import read_profile
from wavetank.microservices.model.actions import Action, InjectDelay, KillInstances, StartInstances
from wavetank.microservices.model.architecture import (
    MISIM_THREADS,
    Alternative,
    Architecture,
    Call,
    CircuitBreaker,
    Dependency,
    Loop,
    Operation,
    Retry,
    Sequence,
    Service,
)
from wavetank.microservices.model.cycles import check_cycles
from wavetank.microservices.model.experiment import ServiceExperiment
from wavetank.microservices.model.load import ClosedUsers, DiurnalLoad, Generator, Load, ProfileLoad, RateLoad
from wavetank.microservices.model.rules import PRESETS


def make_services(
    spec: ServicesSpec | None, horizon: Nanoseconds | None, folder: Path, path: str
) -> ServicesSetting | None:
    """Returns the services of an experiment; files are looked for in `folder`."""
    if spec is None:
        return None
    if horizon is None:
        raise InputError("a run with services needs an end: state a horizon", path="spec.horizon")
    names = _names(spec, path)
    services = tuple(_service(each, names, f"{path}.services[{i}]") for i, each in enumerate(spec.services))
    try:
        check_cycles(services)
    except InputError as error:
        raise InputError(error.message, path=f"{path}.services") from None
    users = tuple(_users(each, names, folder, f"{path}.users[{i}]") for i, each in enumerate(spec.users))
    timeout = None if spec.timeout is None else spec.timeout / SECOND
    return ServicesSetting(
        Architecture(services, spec.hop, timeout),
        ServiceExperiment(users, _actions(spec, names, path), horizon / SECOND),
        {each.name: each.deployment or each.name for each in spec.services},
        PRESETS[spec.preset],
        interval=spec.interval,
        network=_network(spec.network),
        traces=TraceSetting(spec.traces.slowest, spec.traces.every, tuple(spec.traces.formats)),
    )


def _names(spec: ServicesSpec, path: str) -> Names:
    names = Names(prefix_is_qualified=False)
    for i, service in enumerate(spec.services):
        if service.name in names.services:
            raise InputError(f"the service {service.name!r} is given twice", path=f"{path}.services[{i}].name")
        names.declare(service.name, [operation.name for operation in service.operations])
    return names


def _service(spec: ServiceSpec, names: Names, path: str) -> Service:
    operations = tuple(_operation(each, names, f"{path}.operations[{i}]") for i, each in enumerate(spec.operations))
    return Service(
        spec.name,
        operations,
        balancer=spec.balancer,  # type: ignore[arg-type]
        policy=spec.cpu.policy,  # type: ignore[arg-type]
        threads=_threads(spec.cpu, f"{path}.cpu"),
        retry=_retry(spec.retry),
        breaker=_breaker(spec.circuit_breaker),
    )


def _threads(spec: CpuSpec, path: str) -> int:
    if spec.policy == "ps" and spec.threads is not None:
        raise InputError("`ps` computes all requests at once: choose `fifo` for a pool of threads", path=path)
    return spec.threads or MISIM_THREADS


def _operation(spec: OperationSpec, names: Names, path: str) -> Operation:
    calls = _calls(spec.calls, names, f"{path}.calls")
    dependencies = (Sequence(calls),) if spec.in_order and calls else calls
    return Operation(spec.name, spec.demand, dependencies, spec.request_size, spec.answer_size)


def _calls(specs: list[CallSpec], names: Names, path: str) -> tuple[Dependency, ...]:
    return tuple(_call(each, names, f"{path}[{i}]") for i, each in enumerate(specs))


def _call(spec: CallSpec, names: Names, path: str) -> Dependency:
    """Returns a call or a group of calls; what is made more than once is a loop around it."""
    probability = Constant(spec.probability)
    once = _once(spec, names, path)
    if spec.times == 1:
        return replace(once, probability=probability, weight=spec.weight)
    return Loop((once,), spec.times, probability, spec.weight)


def _once(spec: CallSpec, names: Names, path: str) -> Dependency:
    if spec.one_of is not None:
        return Alternative(_calls(spec.one_of, names, f"{path}.oneOf"))
    if spec.in_order is not None:
        return Sequence(_calls(spec.in_order, names, f"{path}.inOrder"))
    if spec.parallel is not None:
        return Loop(_calls(spec.parallel, names, f"{path}.parallel"))
    service, operation = names.resolve(None, spec.operation, f"{path}.operation")
    return Call(service, operation, delay=spec.delay, request_size=spec.request_size, answer_size=spec.answer_size)


def _actions(spec: ServicesSpec, names: Names, path: str) -> tuple[Action, ...]:
    return tuple(_action(each, names, f"{path}.actions[{i}]") for i, each in enumerate(spec.actions))


def _action(spec: ActionSpec, names: Names, path: str) -> Action:
    at = spec.at / SECOND
    if spec.kill is not None:
        return KillInstances(at, _named(spec.kill.service, names, f"{path}.kill.service"), spec.kill.instances)
    if spec.start is not None:
        return StartInstances(at, _named(spec.start.service, names, f"{path}.start.service"), spec.start.instances)
    assert spec.delay is not None
    delay, path = spec.delay, f"{path}.delay"
    service = _named(delay.service, names, f"{path}.service")
    source = None if delay.operation is None else names.resolve(service, delay.operation, f"{path}.operation")[1]
    target = None if delay.call is None else names.resolve(None, delay.call, f"{path}.call")
    lasts = None if delay.lasts is None else delay.lasts / SECOND
    return InjectDelay(at, service, delay.by, lasts, source, target)


def _named(service: str, names: Names, path: str) -> str:
    if service not in names.services:
        near = hint(service, names.services)
        raise InputError(f"no such service: {service!r}{near}", path=path)
    return service


def _network(spec: NetworkSpec | None) -> NetworkSetting:
    if spec is None:
        return NetworkSetting()
    connections = {
        (link.between[0], link.between[1]): Connection(link.latency, _bytes(link.bandwidth)) for link in spec.links
    }
    return NetworkSetting(connections, _bytes(spec.node_bandwidth), spec.topology_key)


def _bytes(bits: int | None) -> float | None:
    return None if bits is None else bits / 8


def _retry(spec: RetrySpec | None) -> Retry | None:
    if spec is None:
        return None
    return Retry(spec.tries, "exponential", spec.jitter, spec.wait / SECOND, spec.factor, spec.longest / SECOND)


def _breaker(spec: BreakerSpec | None) -> CircuitBreaker | None:
    if spec is None:
        return None
    return CircuitBreaker(spec.threshold, spec.window / SECOND, spec.sleep / SECOND, spec.limit)


def _users(spec: UsersSpec, names: Names, folder: Path, path: str) -> Generator:
    service, operation = names.resolve(None, spec.operation, f"{path}.operation")
    return Generator(service, operation, _load(spec, folder, path))


def _load(spec: UsersSpec, folder: Path, path: str) -> Load:
    stop = None if spec.stop is None else spec.stop / SECOND
    if spec.poisson is not None:
        return RateLoad(((0.0, spec.poisson),), stop)
    if spec.steps is not None:
        return RateLoad(tuple(spec.steps), stop)
    if spec.diurnal is not None:
        return DiurnalLoad(spec.diurnal.average, spec.diurnal.swing, spec.diurnal.period / SECOND, stop)
    if spec.recorded is not None:
        try:
            return ProfileLoad(read_profile(folder / spec.recorded), stop=stop)
        except InputError as error:
            raise error.inside(path=f"{path}.recorded") from None
    assert spec.closed is not None
    return ClosedUsers(spec.closed.users, spec.closed.think, stop)
