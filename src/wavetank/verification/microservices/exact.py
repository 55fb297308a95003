"""Deterministic cases: every time, count and decision."""

from __future__ import annotations

from collections import Counter
from typing import Any

from wavetank.microservices.model.actions import InjectDelay
from wavetank.verification.microservices.findings import Findings
from wavetank.verification.microservices.playing import Inputs, Played
from wavetank.verification.microservices.recording import ServiceRecording

_CLOSE = 9  # digits of waits and backlogs
_BREAKER = "CB[CircuitBreaker of "


def has_random_ties(inputs: Inputs) -> bool:
    """Returns whether a deterministic network still leaves choices to chance."""
    chances = ("random", "util")
    return any(each.balancer in chances and each.instances > 1 for each in inputs.architecture.services)


def _micro(text: str) -> int:
    return round(float(text) * 1e6)


def compare_exactly(case: ServiceRecording, inputs: Inputs, played: Played, findings: Findings) -> None:
    """Compares a run of a deterministic case; events of one instant as multisets."""
    recorder, result = played.recorder, case.result
    if _has_simultaneous_actions(inputs):
        _compare_last_counts(case, played, findings)
        return
    findings.add("counts", "messages", result["sends"], played.sends)
    ended = (int(result["successful"]), int(result["failed"]))
    findings.add("counts", "answered and failed", ended, (recorder.succeeded, recorder.failed_users))
    is_exact = not _uses_even(inputs)
    for name, lines in case.series.items():
        _compare_series(name, lines, played, findings, is_exact)
        _compare_patterns(name, lines, inputs, played, findings)


def _compare_series(name: str, lines: list[list[str]], played: Played, findings: Findings, is_exact: bool) -> None:
    recorder = played.recorder
    if name.startswith("R[") and name.endswith("]_ResponseTimes"):
        operation = name[2:].removesuffix("]_ResponseTimes")
        expected = sorted((_micro(time), _micro(value)) for time, value in lines)
        got = sorted(recorder.responses[operation])
        if not is_exact:  # which requests a dead instance gets depends on the order inside a round
            expected, got = sorted((0, value) for _, value in expected), sorted((0, value) for _, value in got)
        findings.add_lines("responses", operation, [*expected], [*got])
    elif name == "NL_failures":
        failures = sorted((_micro(time), kind, operation, reason) for time, kind, operation, reason in lines)
        ours = sorted((time, kind, operation, str(reason)) for time, kind, operation, reason in recorder.failures)
        if not is_exact:
            failures, ours = (sorted((0, *each[1:]) for each in some) for some in (failures, ours))
        findings.add_lines("failures", name, [*failures], [*ours])
    elif name.endswith("]_InstanceCount"):
        service = name[2:].removesuffix("]_InstanceCount")
        counts = [(_micro(time), int(float(value))) for time, value in lines]
        findings.add_lines("instances", service, [*counts], [*recorder.counts[service]])
    elif name.endswith("]_Load_Distribution"):
        service = name[2:].removesuffix("]_Load_Distribution")
        choices = [(_micro(time), each) for time, value in lines for each in value[1:-1].split(",")]
        _compare_choices(service, choices, recorder.choices[service], findings, is_exact)


def _compare_choices(
    service: str, expected: list[tuple[int, str]], got: list[tuple[int, str]], findings: Findings, is_exact: bool
) -> None:
    if is_exact:
        findings.add_lines("balancing", service, [*sorted(expected)], [*sorted(got)])
        return
    one, other = (Counter(instance for _, instance in some) for some in (expected, got))
    close = all(abs(one[instance] - other[instance]) <= 1 for instance in {*one, *other})
    findings.add("balancing", service, dict(one), dict(one) if close else dict(other))


def _compare_patterns(name: str, lines: list[list[str]], inputs: Inputs, played: Played, findings: Findings) -> None:
    recorder = played.recorder
    if name == "RM_RetryTimings":
        waits = sorted((_micro(time), round(float(wait), _CLOSE)) for time, wait in lines)
        ours = sorted((time, round(wait, _CLOSE)) for time, wait in recorder.retries)
        findings.add_lines("retries", name, [*waits], [*ours])
    elif name.startswith(_BREAKER):
        instance, _, target = name[len(_BREAKER) : -1].partition("]_[")
        states: list[Any] = sorted((_micro(time), *_state(value)) for time, value in lines)
        circuit = recorder.circuits[instance, target]
        findings.add_lines(
            "breakers", f"{instance} to {target}", states, [*sorted((t, *_rounded(s)) for t, s in circuit)]
        )
    elif name.startswith("AS["):
        service, _, what = name[3:].partition("]_")
        _compare_decisions(service, what, lines, inputs, played, findings)


def _state(text: str) -> tuple[str, int, int, float]:
    state, successes, failures, share = text[1:-1].split(", ")
    return state, int(successes), int(failures), round(float(share), _CLOSE)


def _rounded(state: tuple[str, int, int, float]) -> tuple[str, int, int, float]:
    return (*state[:3], round(state[3], _CLOSE))


def _compare_decisions(
    service: str, what: str, lines: list[list[str]], inputs: Inputs, played: Played, findings: Findings
) -> None:
    """Compares what an autoscaler saw and did; MiSim does not always write the evaluation at the very end."""
    end = (inputs.experiment.duration or 0) * 1e6
    ours = [each for each in played.recorder.decisions[service] if each[0] < end]
    read: list[tuple[int, Any]] = [(_micro(time), value) for time, value in lines if _micro(time) < end]
    got: list[tuple[int, Any]]
    if what == "Decision":
        got = [(time, decision) for time, _, decision, _ in ours]
    elif what == "InstanceChange":
        read, got = [(time, int(value)) for time, value in read], [(time, change) for time, _, _, change in ours]
    elif what == "MeasuredUtilization":
        read = [(time, round(float(value), _CLOSE)) for time, value in read]
        got = [(time, round(backlog, _CLOSE)) for time, backlog, _, _ in ours]
    else:
        return
    findings.add_lines("decisions", f"{service} {what}", [*read], [*got])


def _uses_even(inputs: Inputs) -> bool:
    return any(each.balancer == "even" and each.instances > 1 for each in inputs.architecture.services)


def _has_simultaneous_actions(inputs: Inputs) -> bool:
    """Returns whether instances are killed and started at one instant: MiSim's order is by hash then."""
    times = Counter(each.time for each in inputs.experiment.actions if not isinstance(each, InjectDelay))
    return any(number > 1 for number in times.values()) and not _uses_even(inputs)


def _compare_last_counts(case: ServiceRecording, played: Played, findings: Findings) -> None:
    for name, lines in case.series.items():
        if name.endswith("]_InstanceCount"):
            service = name[2:].removesuffix("]_InstanceCount")
            findings.add("instances", service, int(float(lines[-1][1])), played.recorder.counts[service][-1][1])
