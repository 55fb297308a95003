"""Random cases: means, quantiles and shares within the bounds of the recordings."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

from wavetank.services.model.architecture import calls_of
from wavetank.verification.services.findings import Findings
from wavetank.verification.services.playing import Inputs, Played, play
from wavetank.verification.services.recording import Json, ServiceRecording

_SIGMAS = 4
_SEEDS = 10


def compare_statistics(case: ServiceRecording, inputs: Inputs, findings: Findings) -> None:
    """Compares the pool of ten seeds with MiSim's."""
    played = [play(inputs, seed) for seed in range(1, _SEEDS + 1)]
    pooled: Json = case.result.get("pooled_response_times", {})
    runs: list[Json] = case.result["runs"]
    is_queue = _has_queues(inputs)
    for operation, recorded in pooled.items():
        values = sorted(value for each in played for _, value in each.recorder.responses[operation])
        _compare_pool(case, operation, recorded, values, findings, is_queue, _effective_runs(inputs))
    _compare_counts(runs, played, findings)
    _compare_waits(runs, played, findings)
    _compare_received(runs, played, findings, is_queue)


def _compare_pool(
    case: ServiceRecording,
    operation: str,
    recorded: Json,
    values: list[int],
    findings: Findings,
    is_queue: bool,
    runs: int,
) -> None:
    if not values:
        findings.add("means", operation, recorded["n"], 0)
        return
    mean = sum(values) / len(values) / 1e6
    deviation = math.sqrt(sum((value / 1e6 - mean) ** 2 for value in values) / len(values))
    number = recorded["n"] * runs / _SEEDS
    error = deviation * math.sqrt(1 / number + 1 / len(values)) * _SIGMAS
    findings.add_close(
        "means", operation, recorded["mean"], mean, max(error, 0.03 * recorded["mean"] if is_queue else 0, 1e-6)
    )
    for quantile, share in (("p50", 0.5), ("p95", 0.95)):
        bound = (0.08 if quantile == "p95" or is_queue else 0.02) * recorded[quantile]
        got = _quantile(values, share)
        near = _quantile_band(values, share, number)
        low, high = near[0] - bound, near[1] + bound
        equal = low <= recorded[quantile] <= high
        findings.add_close("quantiles", f"{operation} {quantile}", recorded[quantile], got, bound if not equal else 1e9)


def _quantile(values: list[int], share: float) -> float:
    """Returns the nearest-rank quantile in seconds."""
    return values[min(len(values) - 1, max(0, math.ceil(share * len(values)) - 1))] / 1e6


def _quantile_band(values: list[int], share: float, number: float) -> tuple[float, float]:
    """Returns the quantiles between which one of a sample of that size lies: they jump where the density has gaps."""
    spread = _SIGMAS * math.sqrt(share * (1 - share) * (1 / number + 1 / len(values)))
    return _quantile(values, max(0.0, share - spread)), _quantile(values, min(1.0, share + spread))


def _has_queues(inputs: Inputs) -> bool:
    """Returns whether waiting times depend on random choices, so that ten runs are far from independent draws."""
    several = any(each.instances > 1 and each.balancer in ("random", "util") for each in inputs.architecture.services)
    return several or bool(inputs.experiment.actions)


def _effective_runs(inputs: Inputs) -> int:
    """Returns how many of the ten seeds count: delays that are read from files are the same for every seed."""
    calls = (
        call
        for service in inputs.architecture.services
        for operation in service.operations
        for call in calls_of(operation.dependencies)
    )
    is_shared = any(call.delay is not None for call in calls) or bool(inputs.experiment.actions)
    return 1 if is_shared else _SEEDS


def _compare_counts(runs: list[Json], played: list[Played], findings: Findings) -> None:
    for what, ours in (
        ("successful", sum(each.recorder.succeeded for each in played)),
        ("failed", sum(each.recorder.failed_users for each in played)),
    ):
        recorded = sum(int(run[what]) for run in runs)
        total = sum(int(run["successful"]) + int(run["failed"]) for run in runs)
        share = recorded / total if total else 0.0
        error = _SIGMAS * math.sqrt(2 * total * share * (1 - share)) + 2 * _SEEDS  # at the end some are under way
        findings.add_close("counts", what, recorded, ours, error)


def _compare_waits(runs: list[Json], played: list[Played], findings: Findings) -> None:
    recorded = [run["retry_waits"] for run in runs if run.get("retry_waits", {}).get("n")]
    waits = [wait for each in played for _, wait in each.recorder.retries]
    number = sum(each["n"] for each in recorded)
    if number < 100 or not waits:
        return
    expected = sum(each["n"] * each["mean"] for each in recorded) / number
    mean = sum(waits) / len(waits)
    deviation = math.sqrt(sum((wait - mean) ** 2 for wait in waits) / len(waits))
    error = _SIGMAS * deviation * math.sqrt(1 / number + 1 / len(waits))
    findings.add_close("retries", "mean wait", expected, mean, max(error, 1e-9))
    longest = max(each["max"] for each in recorded)
    findings.add_close("retries", "longest wait", longest, max(waits), 0.05 * longest)


def _compare_received(runs: list[Json], played: list[Played], findings: Findings, is_queue: bool) -> None:
    """Compares how often each instance was chosen: what is drawn, by binomial bounds."""
    expected: Counter[str] = Counter()
    for run in runs:
        expected.update(run.get("received_per_instance", {}))
    got: Counter[str] = Counter()
    for each in played:
        got.update(each.recorder.received)
    users = sum(sum(len(some) for some in each.recorder.responses.values()) for each in played)
    for instance, number in expected.items():
        error = _SIGMAS * math.sqrt(2 * max(number, users / 4)) + (0.03 * number if is_queue else 0)
        findings.add_close("shares", instance, number, got[instance], error)


def compare_one_run(case: ServiceRecording, inputs: Inputs, findings: Findings) -> None:
    """Compares one run with stock values: means within 3 % or what seeds differ by, p95 within 8 %."""
    played = [play(inputs, seed) for seed in range(1, _SEEDS + 1)]
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
    findings.add_close("means", operation, stats["mean"], mean, max(0.03 * stats["mean"], _SIGMAS * spread))
    p95, spread = _spread([_quantile(sample, 0.95) for sample in samples])
    findings.add_close("quantiles", f"{operation} p95", stats["p95"], p95, max(0.08 * stats["p95"], _SIGMAS * spread))


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
