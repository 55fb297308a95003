"""The claims of figures 4.2 to 4.6."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from wavetank.cluster.releases import SERVED
from wavetank.studies.batkube.thesis import BURST, SPACED
from wavetank.studies.batkube.timesteps import MIN_DELAY, PROGRAM, STEP, TIMEOUT, Step
from wavetank.studies.study import Claim, check, unchecked

_NOT_RUN = (
    "needs runs in real time with the real kube-scheduler: only in the full form, after "
    f"`wavetank scheduler build {PROGRAM} --version {SERVED.tag}`"
)
_OTHERWISE = (
    "a scheduler that misses a cycle gets its next one up to a time step later, and how often it does depends on the "
    "load of the machine: these runs are not repeatable"
)

Runs = dict[int, Step]  # by the value of the parameter
Judge = Callable[[Runs], bool]


def figure_claims(steps: Sequence[Step]) -> list[Claim]:
    """Returns the claims about Batkube's parameters."""
    made = [_crashes, _min_delay, _low_timeout, _timeout_settles, _step_saves_time, _step_is_harmless]
    return [make(steps) for make in made]


def _crashes(steps: Sequence[Step]) -> Claim:
    key, statement, place = "crashes", "with a current scheduler no simulation crashes", "figure 4.2"
    published = "crashes below 10 ms of minimum delay; none after an update of the scheduler"
    found = [step for step in steps if step.parameter == MIN_DELAY]
    if not found:
        return unchecked(key, statement, place, published=published, reason=_NOT_RUN)
    crashed = sum(step.crashed for step in found)
    return check(
        key,
        statement,
        place,
        published=published,
        measured=f"{crashed} of {len(found)} runs crashed",
        holds=crashed == 0,
        otherwise="the scheduler did not react in five seconds",
    )


def _min_delay(steps: Sequence[Step]) -> Claim:
    return _compared(
        "min-delay",
        "a minimum delay beyond the timeout of 20 ms makes simulations longer",
        "figure 4.3",
        "about linear from 20 ms on",
        _by_value(steps, MIN_DELAY, SPACED),
        lambda runs: runs[50].duration_s > 1.2 * runs[0].duration_s,
    )


def _low_timeout(steps: Sequence[Step]) -> Claim:
    return _compared(
        "low-timeout",
        "without time to react the scheduler misses cycles, which delays jobs or puts them on full nodes",
        "figures 4.4 and 4.5",
        "makespan and waiting time grow below about 10 ms",
        _by_value(steps, TIMEOUT, SPACED),
        lambda runs: runs[0].makespan > 1.01 * runs[50].makespan or runs[0].over > runs[50].over,
    )


def _timeout_settles(steps: Sequence[Step]) -> Claim:
    return _compared(
        "timeout-settles",
        "results settle at a timeout of some ten milliseconds",
        "figure 4.5",
        "50 ms seem a decent compromise",
        _by_value(steps, TIMEOUT, BURST),
        lambda runs: abs(runs[50].makespan / runs[20].makespan - 1) < 0.02,
    )


def _step_saves_time(steps: Sequence[Step]) -> Claim:
    return _compared(
        "step-duration",
        "a larger maximum time step makes the simulation of the burst shorter, down to a limit",
        "figure 4.6",
        "falls, then flat",
        _by_value(steps, STEP, BURST),
        lambda runs: runs[2000].duration_s > 2 * runs[1_000_000].duration_s,
    )


def _step_is_harmless(steps: Sequence[Step]) -> Claim:
    return _compared(
        "step-results",
        "the maximum time step does not change makespan and waiting time of the burst",
        "figure 4.6a",
        "flat",
        _by_value(steps, STEP, BURST),
        lambda runs: abs(runs[2000].makespan / runs[1_000_000].makespan - 1) < 0.02,
    )


def _by_value(steps: Sequence[Step], parameter: str, kind: str) -> dict[int, Step]:
    found = [step for step in steps if (step.parameter, step.kind) == (parameter, kind) and not step.crashed]
    return {step.value: step for step in found}


def _compared(key: str, statement: str, place: str, published: str, runs: Runs, judge: Judge) -> Claim:
    if not runs:
        return unchecked(key, statement, place, published=published, reason=_NOT_RUN)
    measured = "; ".join(_told(step) for step in runs.values())
    try:
        holds = judge(runs)
    except KeyError as error:
        why = f"the run with {error} ms crashed"
        return unchecked(key, statement, place, published=published, measured=measured, reason=why)
    return check(key, statement, place, published=published, measured=measured, holds=holds, otherwise=_OTHERWISE)


def _told(step: Step) -> str:
    over = f", {step.over} pods on full nodes" if step.over else ""
    value = f"{step.value} ms" if step.value < 1000 else f"{step.value / 1000:g} s"
    return f"{value}: {step.makespan:.0f} s{over} in {step.duration_s:.0f} s"
