"""Asks what would help a pod, and makes the offered changes to the manifests of the cluster."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

from wavetank.cluster.releases import NEWEST
from wavetank.explanation.advice.advice import Advice, Offer
from wavetank.explanation.explainer import Explainer
from wavetank.explanation.podquestion import PodAnswer, PodQuestion
from wavetank.results.attempts.explanation import BOUND
from wavetank.scheduling.config import default_configuration
from wavetank.scheduling.definition import SchedulerDefinition
from wavetank.snapshots.snapshot import make_snapshot
from wavetank.workloads.cluster import Cluster

DEFAULT = SchedulerDefinition("default", "", default_configuration(NEWEST))

Manifest = dict[str, Any]


def asked(objects: Sequence[Manifest], pod: str = "p") -> PodAnswer:
    """The answer for a pod among these objects."""
    return PodQuestion(make_snapshot(objects), pod, DEFAULT, NEWEST).ask()


def advised(objects: Sequence[Manifest], pod: str = "p") -> Advice:
    """What would help a pod that has no node."""
    advice = asked(objects, pod).advice
    assert advice is not None
    return advice


def lets_in(offer: Offer, objects: Sequence[Manifest], pod: str = "p") -> bool:
    """Whether the pod gets a node in a new cluster with the changed objects, without preempting others."""
    changed = deepcopy(list(objects))
    for edit in offer.edits:
        changed = _CHANGES[edit.kind](changed, edit, pod) if edit.kind in _CHANGES else changed
        edit.edit_pod(_named(changed, "Pod", pod)["spec"])
    subject = _named(changed, "Pod", pod)
    explainer = Explainer(Cluster([each for each in changed if each is not subject]), DEFAULT, NEWEST, {})
    explained = explainer.explain(explainer.pod_of(subject))
    return [each.outcome for each in explained] == [BOUND]


def _named(objects: Sequence[Manifest], kind: str, name: str) -> Manifest:
    return next(each for each in objects if each["kind"] == kind and each["metadata"]["name"] == name)


def _untainted(objects: list[Manifest], edit: Any, pod: str) -> list[Manifest]:
    spec = _named(objects, "Node", edit.data["changed"])["spec"]
    spec["taints"] = [taint for taint in spec["taints"] if taint not in edit.data["taints"]]
    return objects


def _uncordoned(objects: list[Manifest], edit: Any, pod: str) -> list[Manifest]:
    del _named(objects, "Node", edit.data["changed"])["spec"]["unschedulable"]
    return objects


def _labelled(objects: list[Manifest], edit: Any, pod: str) -> list[Manifest]:
    _named(objects, "Node", edit.data["changed"])["metadata"]["labels"] |= edit.data["labels"]
    return objects


def _enlarged(objects: list[Manifest], edit: Any, pod: str) -> list[Manifest]:
    node = deepcopy(_named(objects, "Node", edit.data["template"]))
    node["metadata"]["name"] = node["metadata"]["labels"]["kubernetes.io/hostname"] = "another"
    node["spec"].pop("unschedulable", None)
    taints = node["spec"].get("taints") or []
    node["spec"]["taints"] = [taint for taint in taints if not taint["key"].startswith("node.kubernetes.io/")]
    return [*objects, node]


def _evicted(objects: list[Manifest], edit: Any, pod: str) -> list[Manifest]:
    gone = [name.partition("/")[2] for name in edit.data["pods"]]
    return [each for each in objects if each["kind"] != "Pod" or each["metadata"]["name"] not in gone]


_CHANGES = {"taint": _untainted, "uncordon": _uncordoned, "label": _labelled, "node": _enlarged, "eviction": _evicted}
