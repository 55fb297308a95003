"""Plays recorded scenarios of a real kube-scheduler again: the same program, in the loop, on a simulated API server."""

from __future__ import annotations

from typing import Any

import msgspec

from wavetank.apiserver.api import Api
from wavetank.apiserver.requests.request import Request
from wavetank.cluster.objects.kinds import parse_resource
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import RUNNING, Pod
from wavetank.cluster.objects.resource import parse_time
from wavetank.cluster.store.patch import merge_patch
from wavetank.cluster.store.store import Store
from wavetank.kernel.clock import Clock
from wavetank.kernel.durations import SECOND
from wavetank.loop.building.cache import Cache
from wavetank.loop.processes.configuration import HEAD
from wavetank.loop.processes.definition import ProcessDefinition
from wavetank.scheduling.latency import SchedulerLatency
from wavetank.simulation import programs as looped
from wavetank.simulation.programs import Loop
from wavetank.simulation.world import API_HISTORY, World
from wavetank.verification import Recording
from wavetank.verification.decisions.arrival import arrival_of_nodes
from wavetank.verification.decisions.recording import Attempt, Result, Step

# What needs played controllers, extenders that answer from a record, or an unknown order of arrival.
LEFT_OUT = ("volume_", "ephemeral_", "extender_", "dra_", "queue_order")


class _ForcedApi(Api):
    """Lets each binding go to the node that was recorded, if the one that was asked for was as good."""

    expected: dict[str, Attempt]

    def handle(self, request: Request) -> Any:
        if request.path.endswith("/binding"):
            self._force(request)
        return super().handle(request)

    def _force(self, request: Request) -> None:
        body = msgspec.json.decode(request.body)
        metadata, target = body["metadata"], body["target"]
        attempt = self.expected.get(f"{metadata['namespace']}/{metadata['name']}")
        if attempt is not None and attempt.chosen and _is_free(attempt, target["name"]):
            target["name"] = attempt.chosen
            request.body = msgspec.json.encode(body)


def _is_free(attempt: Attempt, name: str) -> bool:
    """Tells whether a node is as good: without scores the first that fits is taken, in an unknown order."""
    return attempt.scoring_skipped == "no_score_plugins" or name in _candidates(attempt)


def _candidates(attempt: Attempt) -> set[str]:
    return {*attempt.candidates, *([attempt.chosen] if attempt.chosen else [])}


class FreeChoiceError(Exception):
    """The program has decided otherwise where it was free to: what follows cannot be compared."""


class Golden:
    """One recorded scenario, played step by step; `mismatches` tells what came out differently."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.mismatches: list[str] = []
        self.compared = 0
        file = Cache().find("kube-scheduler", recording.kube_scheduler).file
        config = {**HEAD, **recording.config, "percentageOfNodesToScore": 100}
        definition = ProcessDefinition("real", "kube-scheduler", recording.kube_scheduler, file, config)
        looped.Api, plain = _ForcedApi, looped.Api
        try:
            world = World(recording.version, 1, Store(Clock(), API_HISTORY))
            self.loop = Loop(world.context, [definition], takes_all=False)
        finally:
            looped.Api = plain
        self.clock, self.store = world.clock, world.store
        self.loop.api.expected = {}
        self.loop.api._objects.reports = None  # no kubelet runs these pods: they have the status that was recorded

    def play(self) -> None:
        try:
            self.loop.begin(SchedulerLatency())
            self._plant()
            for step, result in zip(self.recording.steps, self.recording.results, strict=True):
                self._step(step, result)
        except FreeChoiceError:
            pass
        finally:
            self.loop.close()

    def _plant(self) -> None:
        recording, lockstep = self.recording, self.loop._lockstep
        for manifest in recording.other_objects():
            if manifest["kind"] == "Namespace":
                manifest = _with_own_label(manifest)
            resource = parse_resource(manifest, self.store.specs)
            if self.store.find(resource.group_kind, resource.namespace, resource.name) is None:
                self.store.create(resource)
        nodes = [Node(manifest) for manifest in recording.nodes]
        for node in arrival_of_nodes(recording, nodes) or nodes:
            self.store.create(node)
        lockstep.settle()
        for manifest, submitted in zip(recording.bound_pods(), recording.existing, strict=True):
            pod = self._pod(manifest)
            if submitted.get("_terminating"):
                pod.deleted = 600 * SECOND
            self.store.create(pod)
        lockstep.settle()
        lockstep.open()

    def _pod(self, manifest: dict[str, Any]) -> Pod:
        pod = Pod.parse(manifest, self.store.specs)
        pod.started = parse_time((manifest.get("status") or {}).get("startTime"), "startTime")
        return pod

    # steps

    def _step(self, step: Step, result: Result) -> None:
        if result.attempts:
            self.loop.api.expected[result.pod] = result.attempts[-1]
        if not (result.attempts and result.attempts[0].hint):  # a hint is good for half a second
            self.clock.run(self.clock.now + SECOND)
        getattr(self, f"_{step.op}")(step, result)
        self.clock.run(self.clock.now + (SECOND // 20 if result.outcome == "bound" else 3 * SECOND))
        if result.attempts:
            self._compare(result)
        self._close(result)

    def _create(self, step: Step, result: Result) -> None:
        assert result.stored is not None
        self.store.create(self._pod(result.stored))

    def _ungate(self, step: Step, result: Result) -> None:
        pod = self._present(result.pod).copy()
        pod.gates = ()
        self.store.update(pod)

    def _delete(self, step: Step, result: Result) -> None:
        if pod := self._present(result.pod):
            self.store.delete(pod)

    def _node_create(self, step: Step, result: Result) -> None:
        self.store.create(Node(step.node))

    def _node_patch(self, step: Step, result: Result) -> None:
        old = self.store.get("Node", "", step.name)
        new = Node(merge_patch(old.manifest, step.patch))
        new.uid, new.created, new.resource_version = old.uid, old.created, old.resource_version
        self.store.update(new)

    def _node_delete(self, step: Step, result: Result) -> None:
        self.store.delete(self.store.get("Node", "", step.name))

    def _present(self, key: str) -> Pod | None:
        namespace, _, name = key.partition("/")
        return self.store.find("Pod", namespace, name)

    # outcomes

    def _compare(self, result: Result) -> None:
        self.compared += 1
        pod, last = self._present(result.pod), result.attempts[-1]
        if pod is None:
            self._note(result, "the pod", "is gone")
        elif result.outcome == "bound":
            if pod.node_name not in _candidates(last):
                self._check_free(result, pod)
                self._note(result, sorted(_candidates(last)), pod.node_name or pod.unschedulable)
        elif pod.node_name:
            self._note(result, result.outcome, pod.node_name)
        elif result.outcome == "nominated":
            if pod.nominated_node != last.nominated:
                self._choose(result, last, pod.nominated_node)
        elif pod.unschedulable != last.message and not last.message_random:
            self._note(result, last.message, pod.unschedulable)

    def _check_free(self, result: Result, pod: Pod) -> None:
        tried = result.attempts[0].preemption
        if tried is not None and (pod.node_name or pod.nominated_node) in tried.dry_run:
            raise FreeChoiceError

    def _choose(self, result: Result, last: Attempt, nominated: str) -> None:
        """Preemption takes any of equally good nodes."""
        if last.preemption is not None and nominated in last.preemption.dry_run:
            raise FreeChoiceError
        self._note(result, last.nominated, nominated)

    def _note(self, result: Result, expected: object, got: object) -> None:
        self.mismatches.append(f"{self.recording.name}: {result.pod}: expected {expected}, got {got}")

    def _close(self, result: Result) -> None:
        pod = self._present(result.pod)
        if pod is not None and result.removed_after:
            self.store.delete(pod)
        elif pod is not None and result.start_time is not None and pod.node_name:
            started = pod.copy()
            started.phase, started.started = RUNNING, parse_time(result.start_time, "start_time")
            self.store.update(started)
        if len(result.attempts) > 1 and result.attempts[0].nominated:
            self._check_victims(result)

    def _check_victims(self, result: Result) -> None:
        """Other victims than the recorded ones are another tie between nodes; what follows differs."""
        gone = [key for key in result.attempts[0].victims if self._present(key) is None]
        if len(gone) != len(result.attempts[0].victims):
            raise FreeChoiceError


def _with_own_label(manifest: dict[str, Any]) -> dict[str, Any]:
    metadata = manifest["metadata"]
    labels = {**(metadata.get("labels") or {}), "kubernetes.io/metadata.name": metadata["name"]}
    return {**manifest, "metadata": {**metadata, "labels": labels}, "status": {"phase": "Active"}}
