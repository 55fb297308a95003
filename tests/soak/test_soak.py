"""A served cluster that works for long holds no more than one that has worked for a while: a short `make soak`."""

from __future__ import annotations

import gc
import importlib
import json
from collections import Counter
from typing import Any

import numpy as np
import pytest

from tests.state.kept import a_setting
from tests.support.objects import node_manifest, pod_manifest
from tests.support.paths import ROOT
from wavetank.apiserver.managedfields import entries
from wavetank.apiserver.requests.request import Request, Response
from wavetank.cluster.fields.podaffinity import PodAffinity
from wavetank.cluster.fields.selectors import LabelSelector
from wavetank.cluster.fields.taints import Tolerations
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podspec import NodeAffinity, PodSpec
from wavetank.cluster.store.store import Store
from wavetank.kernel.clock import Clock, Timer
from wavetank.kernel.durations import SECOND
from wavetank.nodes.containers.podcontainers import PodContainers
from wavetank.scheduling.framework.boundedcache import MAX_LARGE, BoundedCache
from wavetank.scheduling.framework.nodes import podindex
from wavetank.scheduling.framework.nodes.podindex import PodIndex
from wavetank.scheduling.framework.nodes.podqueries import Selected
from wavetank.simulation.served import cluster as served
from wavetank.simulation.served.cluster import ServedCluster
from wavetank.simulation.served.specpruning import SpecPruner
from wavetank.ui.nodefaults import fail_node, recover_node

HOURS = 4


class Client:
    """The client of the soak, without a transport."""

    def __init__(self, cluster: ServedCluster) -> None:
        self._cluster = cluster

    def ask(self, method: str, path: str, body: object = None) -> Any:
        name = path.partition("=")[2]
        if path.startswith("/wavetank/clock"):
            self._cluster.clock.run(self._cluster.clock.now + 3600 * SECOND)
        elif path.startswith("/ui/nodes"):
            (fail_node if "fail" in path else recover_node)(self._cluster, name)
        else:
            return self._ask_api(method, path, body)
        return {}

    def _ask_api(self, method: str, path: str, body: object) -> Any:
        kind = "application/merge-patch+json" if method == "PATCH" else "application/json"
        data = b"" if body is None else json.dumps(body).encode()
        answer = self._cluster.api.handle(Request(method, path, (), {"content-type": kind}, data))
        assert isinstance(answer, Response)
        assert answer.status < 300 or answer.status == 404, answer.body
        return json.loads(answer.body)

    def watch(self, path: str) -> None:
        """Watches nothing: that is the transport's."""

    def leave(self) -> None:
        """Stays."""


def held() -> Counter[str]:
    """Counts what a server could hold on to."""
    gc.collect()
    return Counter(type(each).__name__ for each in gc.get_objects() if isinstance(each, Pod | PodSpec | Timer))


def test_a_cluster_holds_no_more_pods_specs_and_timers_the_longer_it_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "bench"))
    soak = importlib.import_module("soak")
    monkeypatch.setattr(soak, "NODES", 3)
    monkeypatch.setattr(soak, "DEPLOYMENTS", 2)
    monkeypatch.setattr(soak, "JOBS_PER_HOUR", 6)
    monkeypatch.setattr(served, "API_HISTORY", 50)
    monkeypatch.setattr(BoundedCache, "keep", lambda self, key, value, is_large=False: value)
    monkeypatch.setattr(SpecPruner.__init__, "__defaults__", (10,))
    cluster = ServedCluster(a_setting(), lambda _: None)
    churn = soak.Churn(Client(cluster), seed=1)
    churn.begin()
    counts = []
    for _ in range(3):
        for _ in range(HOURS):
            churn.hour()
        counts.append(held())
    jobs = HOURS * soak.JOBS_PER_HOUR
    for name in ("Pod", "PodSpec", "Timer"):
        assert counts[2][name] < counts[1][name] + jobs / 2, counts
    assert len(list(cluster.store.list("Event"))) < 10 * jobs  # of the last hour


def large_spec(number: int) -> dict[str, Any]:
    """Returns a spec of over 64 KB, which is large in whatever the plugins read."""
    terms = [
        {"labelSelector": {"matchLabels": {f"k{i}": f"v{number}"}}, "topologyKey": "kubernetes.io/hostname"}
        for i in range(300)
    ]
    expressions = [{"key": f"k{i}", "operator": "NotIn", "values": [f"v{number}"]} for i in range(300)]
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    return {
        "containers": [{"name": f"c{i}", "image": "i" * 200} for i in range(100)],
        "tolerations": [{"key": f"k{i}", "operator": "Equal", "value": f"v{number}"} for i in range(300)],
        "topologySpreadConstraints": [
            {"maxSkew": 1, "whenUnsatisfiable": "ScheduleAnyway", "nodeTaintsPolicy": "Honor", **terms[0]}
        ],
        "affinity": {
            "nodeAffinity": {required: {"nodeSelectorTerms": [{"matchExpressions": expressions}]}},
            "podAntiAffinity": {required: terms},
        },
    }


def test_little_is_held_of_large_pods_that_are_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(served, "API_HISTORY", 3)
    cluster = ServedCluster(a_setting(), lambda _: None)
    client = Client(cluster)
    for name in ("a", "b"):
        client.ask("POST", "/api/v1/nodes", node_manifest(name, pods="110"))
    pods = "/api/v1/namespaces/default/pods"
    for number in range(6 * MAX_LARGE):
        client.ask("POST", pods, {"metadata": {"name": "large"}, "spec": large_spec(number)})
        cluster.clock.run(cluster.clock.now + SECOND)
        assert client.ask("GET", f"{pods}/large")["spec"]["nodeName"]
        client.ask("DELETE", f"{pods}/large", {"gracePeriodSeconds": 0})
        cluster.clock.run(cluster.clock.now + SECOND)
    gc.collect()
    specs = [each for each in gc.get_objects() if isinstance(each, PodSpec) and each.is_large]
    assert len(specs) <= MAX_LARGE + 3
    for part in (Tolerations, NodeAffinity, PodAffinity):
        held = [each for each in gc.get_objects() if isinstance(each, part) and len(str(each)) > 10_000]
        assert len(held) <= MAX_LARGE + 3


def test_containers_of_pods_that_are_gone_need_no_collection_of_garbage() -> None:
    """A server hardly ever looks for garbage among old objects."""
    cluster = ServedCluster(a_setting(), lambda _: None)
    client = Client(cluster)
    client.ask("POST", "/api/v1/nodes", node_manifest("a"))
    probe = {"readinessProbe": {"exec": {"command": ["true"]}, "periodSeconds": 1}}
    spec = {"containers": [{"name": f"c{i}", "image": "i", **probe} for i in range(3)]}
    pods = "/api/v1/namespaces/default/pods"
    gc.collect()
    gc.disable()
    try:
        client.ask("POST", pods, {"metadata": {"name": "p"}, "spec": spec})
        cluster.clock.run(cluster.clock.now + 100 * SECOND)
        assert any(isinstance(each, PodContainers) for each in gc.get_objects())
        client.ask("DELETE", f"{pods}/p", {"gracePeriodSeconds": 0})
        cluster.clock.run(cluster.clock.now + 100 * SECOND)
        assert not any(isinstance(each, PodContainers) for each in gc.get_objects())
    finally:
        gc.enable()


def test_specs_of_deleted_pods_are_forgotten_and_those_of_others_stay_the_same() -> None:
    store = Store(Clock())
    SpecPruner(store, every=3)
    for number in range(5):
        store.create(Pod.parse(pod_manifest(f"p{number}", cpu=str(number + 1)), store.specs))
    stays = store.get("Pod", "default", "p4")
    for number in range(3):
        store.delete(store.get("Pod", "default", f"p{number}"))
    assert isinstance(stays, Pod)
    assert store.specs.intern(pod_manifest("x", cpu="5")["spec"]) is stays.spec
    assert len(store.specs) == 2


def test_counts_of_pods_are_right_after_labels_without_pods_were_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(podindex, "LEAST_KINDS", 4)
    store = Store(Clock())
    index = PodIndex({})
    pods = [Pod.parse(pod_manifest(f"p{i}", labels={"job": str(i), "all": "yes"}), store.specs) for i in range(40)]
    every = Selected("default", LabelSelector.parse({"matchLabels": {"all": "yes"}}))
    slots = np.array([0, 1])
    for number, pod in enumerate(pods):
        index.add(pod, number % 2)
        assert index.counts(every, slots).sum() == min(number + 1, 3)
        if number >= 2:
            index.add(pods[number - 2], (number - 2) % 2, -1)
    own = Selected("default", LabelSelector.parse({"matchLabels": {"job": "39"}}))
    assert list(index.counts(own, slots)) == [0, 1]


def test_sets_of_managed_fields_that_objects_share_stay_while_others_are_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(entries, "_MOST_SETS", 10)
    common = entries.shared({"f:spec": {"f:replicas": {}}})
    first_seen = entries.shared({"f:metadata": {'k:{"uid":"0"}': {}}})
    for number in range(100):
        once = entries.shared({"f:metadata": {f'k:{{"uid":"{number}"}}': {}}})
        assert entries.shared({"f:metadata": {f'k:{{"uid":"{number}"}}': {}}}) is once
        assert entries.shared({"f:spec": {"f:replicas": {}}}) is common
    first = {"f:metadata": {'k:{"uid":"0"}': {}}}
    assert entries.shared(first) is not first_seen
