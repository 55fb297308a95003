"""Random cases: means, quantiles and shares within the bounds that the recordings' README gives."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import Counter
from itertools import pairwise
from typing import Any

from wavetank.kernel.distributions import Constant
from wavetank.microservices.model.actions import InjectDelay
from wavetank.microservices.model.architecture import Dependency, calls_of
from wavetank.verification.microservices.findings import Findings
from wavetank.verification.microservices.playing import Inputs, Played, play
from wavetank.verification.microservices.recording import Json, ServiceRecording

_SIGMAS = 4
_SIGMAS_OF_ONE_RUN = 3
_RECORDED_SEEDS = 10
_MORE_SEEDS = 20  # of ours where the bounds are standard errors: they leave no space for our own
_SMOOTH = 0.02
_QUEUE_MEAN, _QUEUE_P95 = 0.03, 0.08


def compare_statistics(case: ServiceRecording, inputs: Inputs, findings: Findings) -> None:
    """Compares the pool of our seeds with MiSim's."""
    has_queues = _has_queues(inputs)
    seeds = _RECORDED_SEEDS if has_queues else _MORE_SEEDS
    played = [play(inputs, seed) for seed in range(1, seeds + 1)]
    pooled: Json = case.result.get("pooled_response_times", {})
    runs: list[Json] = case.result["runs"]
    for operation, recorded in pooled.items():
        values = sorted(value for each in played for _, value in each.recorder.responses[operation])
        if not values:
            findings.add("means", operation, recorded["n"], 0)
        elif has_queues:
            _compare_queue(operation, recorded, values, findings)
        else:
            _compare_pool(case, operation, recorded, values, _shares_one_sequence(inputs), findings)
    _compare_counts(runs, played, findings)
    _compare_waits(runs, played, findings)
    _compare_received(runs, played, findings, has_queues)


def _compare_queue(operation: str, recorded: Json, values: list[int], findings: Findings) -> None:
    mean = sum(values) / len(values) / 1e6
    findings.add_close("means", operation, recorded["mean"], mean, _QUEUE_MEAN * recorded["mean"])
    p95 = _quantile(values, 0.95)
    findings.add_close("quantiles", f"{operation} p95", recorded["p95"], p95, _QUEUE_P95 * recorded["p95"])


def _compare_pool(
    case: ServiceRecording, operation: str, recorded: Json, values: list[int], one_run: bool, findings: Findings
) -> None:
    mean = sum(values) / len(values) / 1e6
    deviation = math.sqrt(sum((value / 1e6 - mean) ** 2 for value in values) / len(values))
    number = recorded["n"] / (_RECORDED_SEEDS if one_run else 1)
    sigmas = _SIGMAS_OF_ONE_RUN if one_run else _SIGMAS
    error = max(sigmas * deviation / math.sqrt(number), 1e-6)
    findings.add_close("means", operation, recorded["mean"], mean, error)
    for quantile, share in (("p50", 0.5), ("p95", 0.95)):
        _compare_quantile(f"{operation} {quantile}", recorded[quantile], share, number, values, findings)
    _compare_values(case, operation, values, findings)


def _compare_quantile(
    name: str, recorded: float, share: float, number: float, values: list[int], findings: Findings
) -> None:
    """Compares a quantile if the density around it is smooth, else the share of requests below it."""
    spread = _SIGMAS * math.sqrt(share * (1 - share) / number)
    low, high = _quantile(values, max(0.0, share - spread)), _quantile(values, min(1.0, share + spread))
    if high - low <= _SMOOTH * recorded:
        findings.add_close("quantiles", name, recorded, _quantile(values, share), _SMOOTH * recorded)
        return
    edge = recorded * 1e6 * _SMOOTH
    below = bisect_left(values, recorded * 1e6 - edge) / len(values)
    above = bisect_right(values, recorded * 1e6 + edge) / len(values)
    nearest = min(max(share, below), above)
    findings.add_close("quantiles", f"{name}: share below {recorded}", share, nearest, spread)


def _compare_values(case: ServiceRecording, operation: str, values: list[int], findings: Findings) -> None:
    """Compares the share of each value of a mixture of few; values apart by the jitter of the network are one."""
    recorded = [round(float(value) * 1e6) for _, value in case.first_seed.get(f"R[{operation}]_ResponseTimes", ())]
    edges = [0.0, *((a + b) / 2 for a, b in pairwise(values) if b > a * (1 + _SMOOTH)), math.inf]
    if not recorded or len(edges) == 2:
        return
    recorded.sort()
    for low, high in pairwise(edges):
        share = (bisect_left(values, high) - bisect_left(values, low)) / len(values)
        seen = (bisect_left(recorded, high) - bisect_left(recorded, low)) / len(recorded)
        error = _SIGMAS * math.sqrt(max(share * (1 - share), 1 / len(recorded)) / len(recorded))
        findings.add_close("shares", f"{operation} from {low / 1e6:.3f} s", seen, share, error)


def _quantile(values: list[int], share: float) -> float:
    """Returns the nearest-rank quantile in seconds."""
    return values[min(len(values) - 1, max(0, math.ceil(share * len(values)) - 1))] / 1e6


def _has_queues(inputs: Inputs) -> bool:
    """Returns whether waiting times depend on random choices, so that requests are no independent draws."""
    return any(each.instances > 1 and each.balancer in ("random", "util") for each in inputs.architecture.services)


def _shares_one_sequence(inputs: Inputs) -> bool:
    """Returns whether quantities are drawn that MiSim reads from files: their sequence is the same for every seed."""
    operations = (each for service in inputs.architecture.services for each in service.operations)
    drawn = any(_draws(each) for operation in operations for each in operation.dependencies)
    return drawn or any(
        isinstance(each, InjectDelay) and not isinstance(each.delay, Constant) for each in inputs.experiment.actions
    )


def _draws(dependency: Dependency) -> bool:
    calls = calls_of((dependency,))
    quantities = [quantity for call in calls for quantity in (call.delay, call.probability) if quantity is not None]
    return any(not isinstance(each, Constant) for each in (*quantities, dependency.probability))


def _compare_counts(runs: list[Json], played: list[Played], findings: Findings) -> None:
    scale = len(runs) / len(played)
    for what, ours in (
        ("successful", sum(each.recorder.succeeded for each in played)),
        ("failed", sum(each.recorder.failed_users for each in played)),
    ):
        recorded = sum(int(run[what]) for run in runs)
        total = sum(int(run["successful"]) + int(run["failed"]) for run in runs)
        share = recorded / total if total else 0.0
        error = _SIGMAS * math.sqrt(total * share * (1 - share)) + 2 * len(runs)  # at the end some are under way
        findings.add_close("counts", what, recorded, ours * scale, error)


def _compare_waits(runs: list[Json], played: list[Played], findings: Findings) -> None:
    recorded = [run["retry_waits"] for run in runs if run.get("retry_waits", {}).get("n")]
    waits = [wait for each in played for _, wait in each.recorder.retries]
    number = sum(each["n"] for each in recorded)
    if number < 100 or not waits:
        return
    expected = sum(each["n"] * each["mean"] for each in recorded) / number
    mean = sum(waits) / len(waits)
    deviation = math.sqrt(sum((wait - mean) ** 2 for wait in waits) / len(waits))
    findings.add_close("retries", "mean wait", expected, mean, max(_SIGMAS * deviation / math.sqrt(number), 1e-9))
    longest = max(each["max"] for each in recorded)
    findings.add_close("retries", "longest wait", longest, max(waits), 0.05 * longest)


def _compare_received(runs: list[Json], played: list[Played], findings: Findings, has_queues: bool) -> None:
    """Compares how often each instance was chosen: what is drawn, by binomial bounds."""
    expected: Counter[str] = Counter()
    for run in runs:
        expected.update(run.get("received_per_instance", {}))
    got: Counter[str] = Counter()
    for each in played:
        got.update(each.recorder.received)
    scale = len(runs) / len(played)
    users = scale * sum(sum(len(some) for some in each.recorder.responses.values()) for each in played)
    for instance, number in expected.items():
        error = _SIGMAS * math.sqrt(max(number, users / 4)) + (_QUEUE_MEAN * number if has_queues else 0)
        findings.add_close("shares", instance, number, got[instance] * scale, error)


def compare_one_run(case: ServiceRecording, inputs: Inputs, findings: Findings) -> None:
    """Compares one run with random ties or a random network: means within 3 %, p95 within 8 %.

    One run alone may be further off if ours are, from seed to seed.
    """
    played = [play(inputs, seed) for seed in range(1, _RECORDED_SEEDS + 1)]
    recorded: Json = case.result["response_times"]
    for operation, stats in recorded.items():
        _compare_operation(operation, stats, played, findings)
    for what, ours in (
        ("successful", [each.recorder.succeeded for each in played]),
        ("failed", [each.recorder.failed_users for each in played]),
    ):
        mean, spread = _spread(ours)
        findings.add_close("counts", what, case.result[what], mean, _SIGMAS * spread + max(2, 0.01 * mean))
    _compare_last_instances(case, played, findings)


def _compare_operation(operation: str, stats: Json, played: list[Played], findings: Findings) -> None:
    samples = [sorted(value for _, value in each.recorder.responses[operation]) for each in played]
    samples = [sample for sample in samples if sample]
    if not samples:
        findings.add("means", operation, stats["n"], 0)
        return
    mean, spread = _spread([sum(sample) / len(sample) / 1e6 for sample in samples])
    findings.add_close("means", operation, stats["mean"], mean, max(_QUEUE_MEAN * stats["mean"], _SIGMAS * spread))
    p95, spread = _spread([_quantile(sample, 0.95) for sample in samples])
    error = max(_QUEUE_P95 * stats["p95"], _SIGMAS * spread)
    findings.add_close("quantiles", f"{operation} p95", stats["p95"], p95, error)


def _spread(values: list[Any]) -> tuple[float, float]:
    """Returns the mean and the standard deviation of a single value."""
    mean = sum(values) / len(values)
    return mean, math.sqrt(sum((value - mean) ** 2 for value in values) / max(1, len(values) - 1))


def _compare_last_instances(case: ServiceRecording, played: list[Played], findings: Findings) -> None:
    for name, lines in case.series.items():
        if name.endswith("]_InstanceCount"):
            service = name[2:].removesuffix("]_InstanceCount")
            seen = {each.recorder.counts[service][-1][1] for each in played}
            last = int(float(lines[-1][1]))
            findings.add("instances", service, True, last in seen or min(seen) <= last <= max(seen))
