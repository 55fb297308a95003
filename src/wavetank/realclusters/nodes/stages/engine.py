from __future__ import annotations

import ipaddress
import random
from collections.abc import Container, Mapping, Sequence
from functools import partial
from typing import Any

from wavetank.cluster.context import ActorContext
from wavetank.cluster.objects.resource import render_time
from wavetank.kernel.clock import Timer
from wavetank.realclusters.client.client import MERGE_PATCH, STRATEGIC_PATCH
from wavetank.realclusters.client.outbox import Outbox, Request
from wavetank.realclusters.nodes.names import pod_path
from wavetank.realclusters.nodes.stages.stage import Stage
from wavetank.realclusters.nodes.stages.template import Functions

Document = dict[str, Any]

_PODS = int(ipaddress.ip_address("10.128.0.0"))
_NODES = int(ipaddress.ip_address("172.16.0.0"))


class StageEngine:
    """Moves pods on simulated nodes from stage to stage, as KWOK does, in place of the kubelets.

    Of the stages that match a pod one is drawn by weight; after its delay the status is sent that its template makes
    of the pod. A pod that changes meanwhile so that another stage matches begins again.
    """

    def __init__(
        self, context: ActorContext, ours: Container[str], stages: Sequence[Stage], outbox: Outbox, down: Container[str]
    ) -> None:
        self._clock = context.clock
        self._random = context.streams.stream("nodes/stages")
        self._ours = ours
        self._stages = stages
        self._outbox = outbox
        self._down = down
        self._pods: dict[str, Document] = {}
        self._planned: dict[str, tuple[Stage, Timer]] = {}

    def replace(self, documents: list[Document]) -> None:
        """Takes over a list: what is not in it is gone."""
        listed = {document["metadata"]["uid"] for document in documents}
        for uid in [uid for uid in self._pods if uid not in listed]:
            self._forget(uid)
        for document in documents:
            self.change("MODIFIED", document)

    def change(self, action: str, document: Document) -> None:
        """Takes over an event of a watch."""
        uid = document["metadata"]["uid"]
        if action == "DELETED":
            self._forget(uid)
        elif document["spec"].get("nodeName") in self._ours:
            document["metadata"].pop("managedFields", None)
            self._pods[uid] = document
            self._plan(uid, document)

    def _forget(self, uid: str) -> None:
        self._pods.pop(uid, None)
        self._cancel(uid)

    def _cancel(self, uid: str) -> None:
        if uid in self._planned:
            self._planned.pop(uid)[1].cancel()

    def _plan(self, uid: str, pod: Document) -> None:
        matching = [stage for stage in self._stages if stage.matches(pod)]
        planned = self._planned.get(uid)
        if planned is not None:
            if planned[0] in matching:
                return
            self._cancel(uid)
        stage = _drawn(matching, self._random)
        if stage is not None:
            due = self._clock.now + stage.draw_delay(pod, self._random)
            self._planned[uid] = (stage, self._clock.at(due, partial(self._apply, uid, stage)))

    def _apply(self, uid: str, stage: Stage) -> None:
        self._planned.pop(uid, None)
        pod = self._pods.get(uid)
        if pod is None or pod["spec"]["nodeName"] in self._down:
            return
        requests = [*_requests(stage, pod)]
        if requests:
            self._outbox.put(uid, lambda: requests)


def _drawn(stages: Sequence[Stage], random: random.Random) -> Stage | None:
    """Draws one of the stages by their weights; those without a weight count if no other matches."""
    weighted = [stage for stage in stages if stage.weight > 0] or list(stages)
    if len(weighted) < 2:
        return weighted[0] if weighted else None
    return random.choices(weighted, [max(stage.weight, 1) for stage in weighted])[0]


def _requests(stage: Stage, pod: Document) -> list[Request]:
    metadata = pod["metadata"]
    path = pod_path(metadata["namespace"], metadata["name"])
    found = []
    if stage.empties_finalizers:
        body = {"metadata": {"uid": metadata["uid"], "finalizers": None}}
        found.append(Request("PATCH", path, body, MERGE_PATCH))
    status = stage.status_of(pod)
    if status:
        body = {"metadata": {"uid": metadata["uid"]}, "status": status}
        found.append(Request("PATCH", f"{path}/status", body, STRATEGIC_PATCH))
    if stage.deletes:
        options = {"gracePeriodSeconds": 0, "preconditions": {"uid": metadata["uid"]}}
        found.append(Request("DELETE", path, options))
    return found


def stage_functions(now: Any, hosts: Mapping[str, str] | None = None) -> Functions:
    """Returns what templates may call: the time, and addresses of nodes and pods that stay the same."""
    known = dict(hosts or {})
    pods: dict[str, str] = {}

    def node_ip(name: str = "") -> str:
        return known.setdefault(name, str(ipaddress.ip_address(_NODES + len(known) + 1)))

    def pod_ip(node: str = "", host: bool = False, uid: str = "", *_: str) -> str:
        return node_ip(node) if host else pods.setdefault(uid, str(ipaddress.ip_address(_PODS + len(pods) + 1)))

    return {"Now": lambda: render_time(now()), "NodeIPWith": node_ip, "PodIPWith": pod_ip}
