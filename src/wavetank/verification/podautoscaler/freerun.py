"""Runs wavetank's controller freely on the inputs of a scenario, over wavetank's own API."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from wavetank.apiserver.api import Api
from wavetank.apiserver.features import SCALE_TO_ZERO
from wavetank.apiserver.requests.request import Request, Response, User
from wavetank.apiserver.subresources.actor import ScalingActor
from wavetank.cluster.objects.groupkinds import HORIZONTAL_POD_AUTOSCALER
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.objects.scale import Scale
from wavetank.cluster.releases import SERVED
from wavetank.cluster.rules.readiness import stated_ready_since
from wavetank.cluster.store.store import Store
from wavetank.controllers.framework.client import Document
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.podautoscaler.controller import HorizontalPodAutoscalers
from wavetank.errors import InputError
from wavetank.simulation.served.faults import Faults
from wavetank.simulation.world import World
from wavetank.verification.podautoscaler.playedmetrics import PlayedMetrics
from wavetank.verification.podautoscaler.playedpods import NAMESPACE, PlayedPod
from wavetank.verification.podautoscaler.playedtargets import FLEETS, PlayedTarget
from wavetank.verification.podautoscaler.recorder import Observations, Recorder
from wavetank.verification.podautoscaler.recording import AutoscalerInputs

Json = dict[str, Any]

_MANAGER = User("system:kube-controller-manager", ("system:authenticated",))
_RESOURCES = {
    "Deployment": "deployments",
    "StatefulSet": "statefulsets",
    "ReplicaSet": "replicasets",
    "ReplicationController": "replicationcontrollers",
    "Fleet": "fleets",
    "HorizontalPodAutoscaler": "horizontalpodautoscalers",
    "CustomResourceDefinition": "customresourcedefinitions",
}
_MERGE = {"content-type": "application/merge-patch+json"}
_JSON = {"content-type": "application/json"}


def run_freely(inputs: AutoscalerInputs) -> Observations:
    """Plays the inputs to wavetank's controller and returns all that it did."""
    world = World(SERVED.version)
    clock, store = world.clock, world.store
    api = Api(store, features=frozenset({SCALE_TO_ZERO}) if inputs.api_scale_to_zero else frozenset())
    faults = Faults(inputs.faults, clock)
    recorder = Recorder(_FaultyClient(api.actor(_MANAGER), faults), clock)
    scenario = _Scenario(inputs, store, api, recorder.observations)
    metrics = PlayedMetrics(inputs, store, scenario.pods, faults)
    context = ControllerContext(
        store,
        recorder,
        stated_ready_since,
        recorder.tell,
        metrics=metrics,
        flags=inputs.flags,
    )
    HorizontalPodAutoscalers(context, recorder.done)
    clock.run(inputs.horizon_ns)
    return recorder.observations


class _Requests:
    """Writes objects by requests to the API, as a client outside would."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def post(self, document: Json) -> None:
        """Creates an object."""
        self._send("POST", _path(document), document, _JSON)

    def patch(self, group_kind: str, name: str, patch: Json, api_version: str) -> None:
        """Applies a merge patch to an object."""
        kind = group_kind.partition(".")[0]
        document = {"apiVersion": api_version, "kind": kind, "metadata": {"namespace": NAMESPACE}}
        self._send("PATCH", f"{_path(document)}/{name}", patch, _MERGE)

    def _send(self, method: str, path: str, document: Json, headers: Mapping[str, str]) -> None:
        answer = self._api.handle(Request(method, path, headers=headers, body=msgspec.json.encode(document)))
        assert isinstance(answer, Response)
        if answer.status >= 400:
            raise InputError(f"{method} {path} is refused: {answer.body!r:.400}")


def _path(document: Json) -> str:
    version, kind = document["apiVersion"], document["kind"]
    root = f"/apis/{version}" if "/" in version else f"/api/{version}"
    resource = _RESOURCES.get(kind, f"{kind.lower()}s")
    return f"{root}/namespaces/{NAMESPACE}/{resource}" if kind != FLEETS["kind"] else f"{root}/{resource}"


class _Scenario:
    """Plays targets, pods, autoscalers and events."""

    def __init__(self, inputs: AutoscalerInputs, store: Store, api: Api, observations: Observations) -> None:
        self._store = store
        self._actor = api.actor(User())
        self._requests = _Requests(api)
        self._observations = observations
        if any(target["kind"] == "Fleet" for target in inputs.targets):
            self._requests.post(FLEETS)
        self._targets = {
            given["name"]: PlayedTarget(given, store, self._requests, self._actor, self._note_replicas)
            for given in inputs.targets
        }
        for given in inputs.targets:
            store.clock.at(given.get("at_ns", 0), self._targets[given["name"]].create)
        store.clock.run(0)
        for time, what, args in inputs.events:
            store.clock.at(time, self._event(what, args))

    def pods(self) -> list[PlayedPod]:
        """Returns all pods that are there."""
        return [pod for target in self._targets.values() for pod in target.pods]

    def _note_replicas(self, target: str, replicas: int | None, cause: str) -> None:
        self._observations.replicas.append((self._store.clock.now, target, replicas, cause))

    def _event(self, what: str, args: Json) -> Callable[[], None]:
        group, _, verb = what.partition(".")
        if group == "hpa":
            return lambda: self._change_autoscaler(verb, args)
        if group == "pod":
            return lambda: self._change_pod(verb, args)
        if group == "scale":
            return lambda: self._targets[args["target"]].scale(args["replicas"])
        if what == "target.delete":
            return self._targets[args["target"]].delete
        if what == "target.create":
            return self._targets[args["target"]].create
        raise InputError(f"unknown event {what!r}")

    def _change_autoscaler(self, verb: str, args: Json) -> None:
        if verb == "create":
            self._requests.post(args["object"])
        elif verb == "patch":
            self._requests.patch(HORIZONTAL_POD_AUTOSCALER, args["name"], args["patch"], "autoscaling/v2")
        else:
            self._actor.delete(self._store.get(HORIZONTAL_POD_AUTOSCALER, NAMESPACE, args["name"]))

    def _change_pod(self, verb: str, args: Json) -> None:
        for target in self._targets.values():
            pod = target.find(args["pod"])
            if pod is None:
                continue
            if verb == "ready":
                pod.set_ready(args["ready"])
            elif verb == "restart":
                pod.restart()
            elif self._end_pod(pod, verb, args):
                target.react_later()

    def _end_pod(self, pod: PlayedPod, verb: str, args: Json) -> bool:
        """Deletes a pod or lets it fail; returns whether another one is to take its place."""
        if verb == "delete":
            return pod.delete(args.get("term_ns"))
        return pod.fail() and bool(args.get("replace", True))


class _FaultyClient:
    """The API as the controller sees it, some of whose requests are refused."""

    def __init__(self, actor: ScalingActor, faults: Faults) -> None:
        self._actor = actor
        self._faults = faults
        self.create, self.update = actor.create, actor.update
        self.delete, self.finalize = actor.delete, actor.finalize

    def get_scale(self, group: str, kind: str, namespace: str, name: str) -> Scale:
        """Reads a scale."""
        version = {"": "v1", "example.com": "example.com/v1"}.get(group, f"{group}/v1")
        body = self._faults.check("GET", f"{_path({'apiVersion': version, 'kind': kind})}/{name}/scale")
        scale = self._actor.get_scale(group, kind, namespace, name)
        if body is None:
            return scale
        spec, status = body.get("spec") or {}, body.get("status") or {}
        return Scale(
            scale.of, spec.get("replicas") or 0, status.get("replicas") or 0, str(status.get("selector") or "")
        )

    def update_scale(self, scale: Scale, replicas: int) -> None:
        """Writes a scale."""
        self._faults.check("PUT", f"{_path(scale.of.render())}/{scale.of.name}/scale")
        self._actor.update_scale(scale, replicas)

    def update_status(self, old: Resource, status: Document, annotations: Mapping[str, str] | None = None) -> Resource:
        """Writes a status."""
        self._faults.check("PUT", f"{_path(old.render())}/{old.name}/status")
        return self._actor.update_status(old, status, annotations)
