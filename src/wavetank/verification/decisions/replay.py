"""Replays a recording with wavetank's cycle in place of the real one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count
from random import Random
from typing import NamedTuple

from wavetank.cluster.objects.pod import Pod
from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.scheduling.config import Configuration, parse_configuration
from wavetank.scheduling.config.gates import FeatureGates
from wavetank.scheduling.framework.cycle.cycle import Cycle, Rotation
from wavetank.scheduling.framework.cycle.framework import Framework
from wavetank.scheduling.framework.extenders.answers import ExtenderError
from wavetank.scheduling.framework.extenders.extenders import Extender, Extenders
from wavetank.scheduling.framework.selection import ExactTies
from wavetank.scheduling.registry import Handle, build_frameworks
from wavetank.verification.decisions.agreement import Agreement, Pair, compared_aspects, compared_scores
from wavetank.verification.decisions.decision import Decision, decision_of
from wavetank.verification.decisions.devices import compared_devices
from wavetank.verification.decisions.extendercalls import RecordedExtenders
from wavetank.verification.decisions.recording import Attempt, Recording, Result, Step
from wavetank.verification.decisions.state import State
from wavetank.verification.decisions.volumes import compared_volumes, volumes_on


@dataclass(frozen=True, slots=True)
class Mismatch:
    """One aspect of one attempt in which wavetank differs from the record."""

    file: str
    step: int
    pod: str
    aspect: str
    expected: object
    got: object


def replay(recording: Recording, file: str) -> tuple[Agreement, list[Mismatch]]:
    """Makes every recorded attempt, compares it, and continues with the recorded outcome; `file` is for mismatches."""
    played = _Replay(recording, file)
    played.run()
    return played.agreement, played.mismatches


class _Replay:
    def __init__(self, recording: Recording, file: str) -> None:
        self.agreement = Agreement()
        self.mismatches: list[Mismatch] = []
        configuration = parse_configuration(recording.config, recording.version, _gates(recording))
        self._recording = recording
        self._file = file
        self._state = State(recording)
        self._now: Nanoseconds = 0
        self._extender_calls = RecordedExtenders(recording, self._state.table)
        handle = Handle(recording.version, self._state.listers, Random(0), self._extenders(configuration))
        frameworks = build_frameworks(configuration, handle)
        self._frameworks = {framework.scheduler_name: framework for framework in frameworks}

    def _extenders(self, configuration: Configuration) -> Extenders:
        return Extenders(Extender(config, self._extender_calls.client(config)) for config in configuration.extenders)

    def run(self) -> None:
        for turn in _turns(self._recording):
            for number, step, result in turn.steps:
                self._state.play(step, result)
                self._check_entry(number, result)
            for number, attempt in turn.attempts:
                self._check_attempt(number, attempt)
                self._state.settle(attempt)
            for _, _, result in turn.steps:
                self._state.close(result)
        self.agreement.files.add(not self.mismatches)

    def _check_entry(self, number: int, result: Result) -> None:
        """Compares whether a pod without an attempt gets into the queue."""
        if result.stored is not None and not result.attempts:
            pair = result.outcome, self._entry(result.pod)
            self._count(number, result.pod, "outcome", pair)

    def _entry(self, key: str) -> str:
        pod = self._state.waiting.get(key)
        if pod is None:
            return "prebound"
        framework = self._frameworks.get(pod.scheduler_name)
        if framework is None:
            return "ignored"
        refusing = [plugin.name for plugin in framework.pre_enqueue if not plugin.pre_enqueue(pod)]
        if not refusing:
            return "queued"
        return "gated" if refusing == ["SchedulingGates"] else "not_enqueued"

    def _check_attempt(self, number: int, attempt: Attempt) -> None:
        ours = self._decide(attempt, self._recording.results[number])
        pairs = list(compared_aspects(attempt, ours, self._state.knows_order))
        for aspect, pair in pairs:
            self._count(number, attempt.pod, aspect, pair)
        for plugin, scores in compared_scores(attempt, ours).items():
            self.agreement.plugins[plugin].add(scores.equal, scores.compared)
        self.agreement.attempts.add(all(expected == got for _, (expected, got) in pairs))

    def _count(self, number: int, pod: str, aspect: str, pair: Pair) -> None:
        expected, got = pair
        self.agreement.aspects[aspect].add(expected == got)
        if expected != got:
            self.mismatches.append(Mismatch(self._file, number, pod, aspect, expected, got))

    def _decide(self, attempt: Attempt, result: Result) -> Decision:
        pod = self._state.pod(attempt.pod)
        if pod.nominated_node and (attempt.evaluated_nodes or 1) > 1 and not attempt.extender_calls:
            pod = pod.copy()  # the recorded retry outran its own nomination
            pod.nominated_node = ""
        framework = self._frameworks.get(pod.scheduler_name)
        if framework is None:
            return Decision("ignored")
        self._state.controllers.prefer_recorded(attempt)
        cycle = Cycle(framework, self._state.table, pod)
        self._extender_calls.begin(attempt)
        self._begin_batch(framework, attempt)
        decision = decision_of(cycle, cycle.run(self._rotation(attempt), ExactTies()))
        if attempt.taken is not None and decision.outcome == "bound":
            _keep_batch(framework, attempt, attempt.taken)
            decision = self._bound(decision, framework, pod, attempt.taken)
            decision = self._pre_bound(decision, cycle, attempt.taken)
        return replace(
            decision,
            extenders=self._extender_calls.compared(self._state.knows_order),
            volumes=compared_volumes(attempt, cycle),
            devices=compared_devices(result, attempt, cycle),
        )

    def _begin_batch(self, framework: Framework, attempt: Attempt) -> None:
        """Lets a second pass before an attempt without a hint: the record does not say whether the list was too old."""
        if framework.batch is not None:
            self._now += 0 if attempt.hint else SECOND
            framework.batch.begin(attempt.seq, self._now)

    def _pre_bound(self, decision: Decision, cycle: Cycle, node_name: str) -> Decision:
        """Lets the provisioner fail if it did in the record."""
        claims = [claim.uid for claim, _ in volumes_on(cycle, node_name).provisions]
        objection = self._state.controllers.objection(claims)
        if not objection:
            return decision
        return replace(decision, outcome="error", message=f'running PreBind plugin "VolumeBinding": {objection}')

    def _bound(self, decision: Decision, framework: Framework, pod: Pod, node_name: str) -> Decision:
        """Lets an extender that binds pods bind this one to the recorded node."""
        try:
            framework.extenders.bind(pod, node_name)
        except ExtenderError as error:
            return replace(decision, outcome="error", message=str(error))
        return decision

    def _rotation(self, attempt: Attempt) -> Rotation:
        """Starts the search where the recorded one must have started, so that it ends at the same node."""
        rotation = Rotation()
        first = next(iter(attempt.searched), attempt.taken)
        table = self._state.table
        if first is not None and first in table.slots:
            rotation.start = int((table.order == table.slots[first]).argmax())
        return rotation


def _gates(recording: Recording) -> FeatureGates:
    return frozenset(name for name, on in recording.feature_gates.items() if on)


def _keep_batch(framework: Framework, attempt: Attempt, taken: str) -> None:
    """Keeps the recorded scores for the next pod, in the recorded order of nodes."""
    if framework.batch is not None:
        totals = [attempt.total[name] for name in attempt.held]
        framework.batch.keep(attempt.hint or "", taken, attempt.held, totals)


class _Turn(NamedTuple):
    """Steps that were made together, and the attempts before the next ones; each with its step's number."""

    steps: list[tuple[int, Step, Result]]
    attempts: list[tuple[int, Attempt]]


def _turns(recording: Recording) -> Iterator[_Turn]:
    steps = list(zip(count(), recording.steps, recording.results, strict=False))
    attempts = sorted(
        ((number, attempt) for number, _, result in steps for attempt in result.attempts),
        key=lambda numbered: numbered[1].seq,
    )
    if recording.options.get("burst"):
        yield _Turn(steps, attempts)
        return
    during: defaultdict[int, list[tuple[int, Attempt]]] = defaultdict(list)
    for number, attempt in attempts:
        step = number if attempt.during_step is None else attempt.during_step
        if step >= len(steps):
            raise InputError(f"an attempt during step {step} of {len(steps)}", path=f"results[{number}]")
        during[step].append((number, attempt))
    for numbered in steps:
        yield _Turn([numbered], during[numbered[0]])
