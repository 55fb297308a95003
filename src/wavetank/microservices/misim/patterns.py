"""Resilience and scaling patterns of a service."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from wavetank.errors import InputError
from wavetank.microservices.misim.fields import Fields, hint
from wavetank.microservices.model.architecture import CircuitBreaker, ReactiveScaling, Retry


@dataclass(slots=True)
class Patterns:
    """The patterns of a service; of several of one kind the last counts."""

    retry: Retry | None = None
    breaker: CircuitBreaker | None = None
    scaling: ReactiveScaling | None = None


def read_patterns(service: Fields) -> Patterns:
    """Reads the patterns of instances and of the service."""
    patterns = Patterns()
    own = service.objects("i_patterns", "instance_patterns", "patterns", "i_pattern", "instance_pattern")
    for path, value in own:
        _read(path, value, service.lenient, patterns, {"retry": _retry, "circuitbreaker": _breaker})
    for path, value in service.objects("s_patterns", "service_patterns", "s_pattern", "service_pattern"):
        _read(path, value, service.lenient, patterns, {"autoscaling": _scaling, "autoscale": _scaling})
    return patterns


Reader = Callable[[Fields, "Fields | None", Patterns], None]


def _read(path: str, value: Any, lenient: bool, patterns: Patterns, known: dict[str, Reader]) -> None:
    pattern = Fields(value, path, lenient)
    kind = pattern.text("type") or ""
    where, config = pattern.get("config")
    strategy_path, strategy = pattern.get("strategy")
    pattern.close()
    if kind not in known:
        if lenient:
            return
        raise InputError(f"unknown pattern {kind!r}{hint(kind, known)}", path=pattern.at("type"))
    fields = Fields(config or {}, where, lenient)
    known[kind](fields, Fields(strategy, strategy_path, lenient) if strategy is not None else None, patterns)
    fields.close()


def _strategy(strategy: Fields | None, known: dict[str, str], default: str) -> tuple[str, Fields]:
    if strategy is None:
        return default, Fields({}, "strategy", lenient=True)
    kind = strategy.text("type") or default
    path, config = strategy.get("config")
    strategy.close()
    if kind not in known:
        if not strategy.lenient:
            raise InputError(f"unknown strategy {kind!r}{hint(kind, known)}", path=strategy.at("type"))
        return default, Fields({}, path, lenient=True)
    return known[kind], Fields(config or {}, path, strategy.lenient)


_BACKOFFS = {
    "exponential": "exponential",
    "exp": "exponential",
    "linear": "linear",
    "jittering": "jittering",
    "jittering_linear": "jittering_linear",
}


def _retry(config: Fields, strategy: Fields | None, patterns: Patterns) -> None:
    tries = config.whole("max_tries", default=5)
    kind, fields = _strategy(strategy, _BACKOFFS, "jittering")
    patterns.retry = Retry(
        tries=tries,
        backoff="linear" if kind in ("linear", "jittering_linear") else "exponential",
        jitter=kind.startswith("jittering"),
        base_wait=fields.number("base_backoff", default=0.01, least=0),
        longest_wait=fields.number("max_backoff", default=1.0, least=0),
        base=fields.number("base", default=3, least=0),
    )
    fields.close()


def _breaker(config: Fields, strategy: Fields | None, patterns: Patterns) -> None:
    threshold = config.number("error_threshold_percentage", "threshold", default=-1)
    limit = config.whole("request_volume_threshold", default=-1)
    config.get("timeout")  # read by MiSim, but without effect
    patterns.breaker = CircuitBreaker(
        threshold=None if threshold < 0 else threshold / 100 if 1 < threshold <= 100 else threshold,
        window=config.number("rolling_window", default=20, least=0),
        sleep=config.number("sleep_window", default=0.5, least=0),
        limit=None if limit < 0 else limit,
    )


def _scaling(config: Fields, strategy: Fields | None, patterns: Patterns) -> None:
    period = config.number("interval", "period", default=1, least=0)
    stop = config.number("stop", default=-1)
    start = config.number("start", default=0, least=0)
    if not period:
        raise InputError("expected a number above 0, got 0", path=config.at("interval"))
    _, fields = _strategy(strategy, {"reactive": "reactive"}, "reactive")
    most = fields.whole("max_instances", default=-1)
    patterns.scaling = ReactiveScaling(
        period=period,
        start=start,
        stop=None if stop < 0 else stop,
        lower=fields.number("lower_bound", default=0.3),
        upper=fields.number("upper_bound", default=0.8),
        least=fields.whole("min_instances", default=1, least=0),
        most=None if most < 0 else most,
        hold=fields.number("hold_time", default=120, least=0),
    )
    fields.close()
