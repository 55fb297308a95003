"""MiSim's architecture descriptions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from wavetank.errors import InputError
from wavetank.kernel.distributions import Constant, Distribution
from wavetank.microservices.misim.fields import Fields, delay, errors_of, hint, quantity, read_json
from wavetank.microservices.misim.names import Names, plain_name
from wavetank.microservices.misim.patterns import read_patterns
from wavetank.microservices.model.architecture import (
    MISIM_HOP,
    Alternative,
    Architecture,
    Balancer,
    Call,
    Dependency,
    Loop,
    Operation,
    Service,
)
from wavetank.microservices.model.cycles import check_cycles
from wavetank.microservices.model.quantities import ONE
from wavetank.microservices.model.rules import Rules

_BALANCERS: dict[str, Balancer] = {
    "random": "random",
    "even": "even",
    "util": "util",
    "round_robin": "round-robin",
    "roundrobin": "round-robin",
    "robin": "round-robin",
    "round-robin": "round-robin",
    "round-robin_fast": "round-robin-fast",
    "round_robin_fast": "round-robin-fast",
    "roundrobin_fast": "round-robin-fast",
    "roundrobin-fast": "round-robin-fast",
    "round-robin-fast": "round-robin-fast",
}


def read_architecture(path: Path, rules: Rules, lenient: bool = False) -> Architecture:
    """Reads an architecture; in a strict reading unknown fields and words are errors."""
    with errors_of(path):
        return parse_architecture(read_json(path), rules, lenient)


def parse_architecture(document: Any, rules: Rules, lenient: bool = False) -> Architecture:
    """Reads the document of an architecture."""
    top = Fields(document, "", lenient)
    latency_path, latency = top.get("network_latency", "network_delay", "delay", "latency")
    entries = [Fields(value, path, lenient) for path, value in top.objects("microservices")]
    top.close()
    names = Names(rules.prefix_means_qualified)
    for entry in entries:
        _declare(entry, names)
    services = tuple(_service(entry, names, rules) for entry in entries)
    check_cycles(services)
    hop: Distribution = MISIM_HOP
    if latency is not None and not rules.ignores_network_latency:
        hop = delay(latency_path, latency, rules.deviation_below_first)
    return Architecture(services, hop)


def _declare(entry: Fields, names: Names) -> None:
    service = _name(entry)
    if service in names.services:
        raise InputError(f"the service {service!r} is given twice", path=entry.at("name"))
    operations = [_name(Fields(value, path, True)) for path, value in entry.objects("operations")]
    names.declare(service, [plain_name(service, operation) for operation in operations])


def _name(fields: Fields) -> str:
    name = fields.text("name")
    if not name:
        raise InputError("expected a name", path=fields.at("name"))
    return name


def _service(entry: Fields, names: Names, rules: Rules) -> Service:
    name = _name(entry)
    operations = tuple(
        _operation(Fields(value, path, entry.lenient), name, names, rules)
        for path, value in entry.objects("operations")
    )
    capacity = entry.number("capacity", default=1, least=0)
    if not capacity:
        raise InputError("expected a number above 0, got 0", path=entry.at("capacity"))
    instances = entry.whole("instances", "starting_instance_count", "starting_instances", default=1, least=0)
    patterns = read_patterns(entry)
    balancer = _balancer(entry)
    entry.close()
    return Service(
        name,
        operations,
        instances,
        capacity,
        balancer=balancer,
        retry=patterns.retry,
        breaker=patterns.breaker,
        scaling=patterns.scaling,
    )


def _balancer(entry: Fields) -> Balancer:
    path, value = entry.get("loadbalancer_strategy", "load_balancer", "loadbalancer")
    word = value.get("type") if isinstance(value, dict) else value
    if word is None:
        return "random"
    if not isinstance(word, str) or word not in _BALANCERS:
        if entry.lenient:
            return "random"
        raise InputError(f"unknown load balancer {word!r}{hint(str(word), _BALANCERS)}", path=path)
    return _BALANCERS[word]


def _operation(fields: Fields, service: str, names: Names, rules: Rules) -> Operation:
    name = plain_name(service, _name(fields))
    demand = fields.number("demand", default=0, least=0)
    dependencies = _dependencies(fields, names, rules)
    fields.close()
    return Operation(name, Constant(demand), dependencies)


def _dependencies(fields: Fields, names: Names, rules: Rules) -> tuple[Dependency, ...]:
    entries = (Fields(value, path, fields.lenient) for path, value in fields.objects("dependencies"))
    return tuple(_dependency(entry, names, rules) for entry in entries)


def _dependency(fields: Fields, names: Names, rules: Rules) -> Dependency:
    kind = fields.text("type") or "basic"
    probability = _probability(fields, rules)
    weight = fields.number("alternative_probability", default=1, least=0)
    read: Dependency
    if kind == "alternative":
        read = Alternative(_dependencies(fields, names, rules), probability, weight)
    elif kind == "loop":
        iterations = fields.whole("iterations", default=1, least=0)
        read = Loop(_dependencies(fields, names, rules), iterations, probability, weight)
    elif kind in ("basic", "simple") or fields.lenient:
        read = _call(fields, names, rules, probability, weight)
    else:
        raise InputError(f"unknown type {kind!r}{hint(kind, ('basic', 'alternative', 'loop'))}", path=fields.at("type"))
    fields.close()
    return read


def _call(fields: Fields, names: Names, rules: Rules, probability: Distribution, weight: float) -> Call:
    service = fields.text("service", "target_service")
    path, _ = fields.get("operation", "target_operation")
    operation = fields.text("operation", "target_operation")
    delay_path, custom = fields.get("custom_delay")
    target = names.resolve(service, operation, path)
    drawn = None if custom is None else delay(delay_path, custom, rules.deviation_below_first)
    return Call(*target, probability, drawn, weight)


def _probability(fields: Fields, rules: Rules) -> Distribution:
    path, value = fields.get("probability")
    if value is None:
        return ONE
    probability = quantity(path, value, rules.deviation_below_first)
    if isinstance(probability, Constant) and not 0 <= probability.value <= 1:
        raise InputError(f"expected a probability from 0 to 1, got {value!r}", path=path)
    return probability
