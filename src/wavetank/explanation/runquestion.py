"""Why a pod of a run was pending, and what would have helped."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from wavetank.cluster.objects.pod import Pod
from wavetank.errors import InputError
from wavetank.experiments.repeating import repeat_run
from wavetank.explanation.advice.advice import Advice, advise
from wavetank.explanation.advice.trials import Trials
from wavetank.explanation.podquestion import PodAnswer
from wavetank.kernel.durations import Nanoseconds, format_seconds
from wavetank.results.attempts.explanation import UNSCHEDULABLE, Explanation, explain_attempt, key_of
from wavetank.results.attempts.reading import attempts_of, find_run
from wavetank.results.layout import results_of
from wavetank.results.read.runfolder import RunFolder
from wavetank.scheduling.framework.cycle.cycle import Cycle, Outcome


def explain_recorded(out: Path, pod: str, scheduler: str | None = None, seed: int | None = None) -> PodAnswer:
    """Returns the recorded attempts at a pod; if it got no node, what would have helped at the last of them.

    The run is repeated up to that attempt, to have the cluster as it was. InputError if there is no such run or pod.
    """
    run = find_run(out, scheduler, seed)
    explanations = attempts_of(run, pod)
    if explanations[-1].outcome != UNSCHEDULABLE:
        return PodAnswer(str(run.path), explanations)
    try:
        advice = _Again(explanations[-1]).advice_of(run)
    except InputError as error:
        return PodAnswer(str(run.path), explanations, notes=[f"no advice: {error}"])
    at = format_seconds(explanations[-1].time or 0)
    return PodAnswer(str(run.path), explanations, advice, [f"this is the cluster at the last attempt, at {at} s"])


class _FoundError(Exception):
    """Ends a run that has come to the attempt."""


class _Again:
    """Looks for what would have helped at a recorded attempt, while the run is repeated."""

    def __init__(self, recorded: Explanation) -> None:
        self._recorded = recorded
        self._attempts = 0
        self._advice: Advice | None = None

    def advice_of(self, run: RunFolder) -> Advice:
        with suppress(_FoundError):
            repeat_run(results_of(run.path), run.scheduler, run.seed or 0, self._listen)
        if self._advice is None:
            raise InputError("the run has changed: make it again with --explain", source=str(run.path))
        return self._advice

    def _listen(self, time: Nanoseconds, pod: Pod, outcome: Outcome, cycle: Cycle) -> None:
        if key_of(pod) != self._recorded.pod:
            return
        self._attempts += 1
        if self._attempts == self._recorded.attempt:
            if (time, outcome.message) == (self._recorded.time, self._recorded.message):
                self._advice = self._advise(pod, outcome, cycle)
            raise _FoundError

    def _advise(self, pod: Pod, outcome: Outcome, cycle: Cycle) -> Advice:
        known = explain_attempt(pod, outcome, cycle, self._attempts).filtered
        return advise(Trials(lambda _: cycle.framework, cycle.table, pod), known)
