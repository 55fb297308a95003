"""Small requests that set much going: thousands of pods that are created, deleted, evicted or scheduled at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from objectcases import DEFAULT, PODS, SERVICES, Step, dump, meta

APPS = "/apis/apps/v1/namespaces/default"
JOBS = "/apis/batch/v1/namespaces/default/jobs"
MERGE = "application/merge-patch+json"
LABELS = {"a": "b"}
MANY = 5_000
Document = dict[str, Any]
Steps = Callable[[], Iterator[Step]]


@dataclass(frozen=True)
class Phase:
    """A part of a trial that is measured on its own."""

    name: str
    steps: Steps


@dataclass(frozen=True)
class Trial:
    """Phases at one server, with so many nodes and further options of `serve`."""

    name: str
    nodes: int
    phases: Callable[[], Iterator[Phase]]
    words: tuple[str, ...] = ()


TRIALS: list[Trial] = []


def trial(name: str, nodes: int, *phases: Phase, words: tuple[str, ...] = ()) -> None:
    TRIALS.append(Trial(f"{name}, {nodes:,} nodes", nodes, partial(iter, phases), words))


def phase(name: str, *steps: Step, pass_: str = "60s") -> Phase:
    """Returns a phase of some requests, after which time passes."""
    return Phase(name, lambda: iter([*steps, advance(pass_)]))


def advance(by: str) -> Step:
    return Step("POST", f"/wavetank/clock/advance?by={by}")


def create(path: str, document: Document) -> Step:
    return Step("POST", path, dump(document))


def patch(path: str, document: Document) -> Step:
    return Step("PATCH", path, dump(document), MERGE)


def delete(path: str, policy: str = "Background") -> Step:
    return Step("DELETE", path, dump({"propagationPolicy": policy}))


# objects


def pod_spec(**more: Any) -> Document:
    return {"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "10m"}}}], **more}


def template(**more: Any) -> Document:
    return {"metadata": {"labels": LABELS}, "spec": pod_spec(**more)}


def workload(replicas: int = MANY, spec: Document | None = None, **more: Any) -> Document:
    made = {"selector": {"matchLabels": LABELS}, "template": template(**(spec or {})), **more}
    return {**meta("many"), "spec": {"replicas": replicas, **made}}


def deployment(**more: Any) -> Step:
    return create(f"{APPS}/deployments", workload(**more))


def job(**more: Any) -> Step:
    spec = {"parallelism": MANY, "completions": MANY, "template": template(restartPolicy="Never"), **more}
    return create(JOBS, {**meta("many"), "spec": spec})


def pods(number: int, path: str = PODS, **spec: Any) -> Steps:
    return lambda: (create(path, {**meta(f"p-{i}", labels=LABELS), "spec": pod_spec(**spec)}) for i in range(number))


def maps(number: int, path: str) -> Steps:
    return lambda: (create(path, {**meta(f"m-{i}"), "data": {"a": "b"}}) for i in range(number))


MANY_DEPLOYMENT = f"{APPS}/deployments/many"
NAMESPACE = "/api/v1/namespaces/other"
EVICTING = {"spec": {"taints": [{"key": "k", "effect": "NoExecute"}]}}
HPA = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers"


def then_wait(*parts: Steps, pass_: str = "60s") -> Steps:
    def made() -> Iterator[Step]:
        for part in parts:
            yield from part()
        yield advance(pass_)

    return made


for number in (20, 1_000):
    trial(
        "deployment of 5,000 pods", number,
        phase("created", deployment()),
        phase("a day passes" if number < 1_000 else "an hour passes", pass_="24h" if number < 1_000 else "1h"),
        phase("scaled to 0", patch(MANY_DEPLOYMENT, {"spec": {"replicas": 0}})),
        phase("scaled to 5,000", patch(MANY_DEPLOYMENT, {"spec": {"replicas": MANY}})),
        phase("deleted in the background", delete(MANY_DEPLOYMENT)),
    )  # fmt: skip
trial(
    "deployment of 5,000 pods, deleted otherwise", 20,
    phase("created", deployment()),
    phase("deleted in the foreground", delete(MANY_DEPLOYMENT, "Foreground")),
    phase("created again", deployment()),
    phase("pods deleted", Step("DELETE", PODS)),
    phase("pods deleted without grace", Step("DELETE", PODS, dump({"gracePeriodSeconds": 0}))),
)  # fmt: skip
trial(
    "replica set of 5,000 pods", 20,
    phase("created", create(f"{APPS}/replicasets", workload())),
    phase("orphaned", delete(f"{APPS}/replicasets/many", "Orphan")),
    phase("adopted", create(f"{APPS}/replicasets", workload())),
    phase("deleted in the foreground", delete(f"{APPS}/replicasets/many", "Foreground")),
)  # fmt: skip
trial(
    "job of 5,000 pods", 20,
    phase("created", job()),
    phase("suspended", patch(f"{JOBS}/many", {"spec": {"suspend": True}})),
    phase("resumed", patch(f"{JOBS}/many", {"spec": {"suspend": False}})),
    phase("deleted", delete(f"{JOBS}/many")),
    phase("indexed", job(completionMode="Indexed")),
    phase("indexed, deleted in the foreground", delete(f"{JOBS}/many", "Foreground")),
)  # fmt: skip
trial(
    "job of 5,000 pods that end at once", 20,
    phase("created", job(template={
        "metadata": {"annotations": {"wavetank/duration": "10s"}}, "spec": pod_spec(restartPolicy="Never")})),
    phase("deleted", delete(f"{JOBS}/many")),
)  # fmt: skip
trial(
    "stateful set of 1,000 pods", 20,
    phase("created", create(f"{APPS}/statefulsets", workload(1_000, podManagementPolicy="Parallel", serviceName="s"))),
    phase("scaled to 0", patch(f"{APPS}/statefulsets/many", {"spec": {"replicas": 0}})),
    phase("deleted", delete(f"{APPS}/statefulsets/many")),
)  # fmt: skip
trial(
    "daemon set", 2_000,
    phase("created", create(f"{APPS}/daemonsets", {
        **meta("many"), "spec": {"selector": {"matchLabels": LABELS}, "template": template()}})),
    phase("a minute passes"),
    phase("deleted", delete(f"{APPS}/daemonsets/many")),
)  # fmt: skip
trial(
    "namespace of 5,000 pods and 5,000 config maps", 20,
    Phase("filled", then_wait(lambda: iter([create("/api/v1/namespaces", meta("other"))]),
                              pods(MANY, f"{NAMESPACE}/pods"), maps(MANY, f"{NAMESPACE}/configmaps"))),
    phase("deleted", delete(NAMESPACE), pass_="120s"),
)  # fmt: skip
trial(
    "nodes with 500 pods", 10,
    phase("created", deployment()),
    phase("cordoned", patch("/api/v1/nodes/n-0", {"spec": {"unschedulable": True}})),
    phase("NoExecute on one", patch("/api/v1/nodes/n-1", EVICTING)),
    phase("node deleted", delete("/api/v1/nodes/n-2"), pass_="300s"),
    phase("NoExecute on all", *(patch(f"/api/v1/nodes/n-{i}", EVICTING) for i in range(3, 10))),
    phase("taints removed", *(patch(f"/api/v1/nodes/n-{i}", {"spec": {"taints": None}}) for i in range(3, 10))),
)  # fmt: skip
trial(
    "pods that wait", 10,
    phase("no node selected", deployment(spec={"nodeSelector": {"x": "y"}})),
    phase("a node labelled", patch("/api/v1/nodes/n-0", {"metadata": {"labels": {"x": "y"}}})),
    phase("a node added", create("/api/v1/nodes", {
        **meta("new", labels={"x": "y"}),
        "status": {key: {"cpu": "640", "memory": "1Ti", "pods": "9000"} for key in ("capacity", "allocatable")}})),
    phase("deleted", delete(MANY_DEPLOYMENT)),
)  # fmt: skip
trial(
    "pods under a quota", 20,
    phase("refused", create(f"{DEFAULT}/resourcequotas", {**meta("q"), "spec": {"hard": {"pods": "0"}}}), deployment()),
    phase("quota raised", patch(f"{DEFAULT}/resourcequotas/q", {"spec": {"hard": {"pods": "9000"}}}), pass_="1200s"),
    phase("scaled to 0", patch(MANY_DEPLOYMENT, {"spec": {"replicas": 0}})),
)  # fmt: skip
trial(
    "pods that wait for a claim", 20,
    phase("created", deployment(spec={"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}]})),
    phase("volume created", create("/api/v1/persistentvolumes", {**meta("v"), "spec": {
        "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteMany"], "hostPath": {"path": "/"},
        "storageClassName": "s"}})),
    phase("claim created", create(f"{DEFAULT}/persistentvolumeclaims", {**meta("c"), "spec": {
        "accessModes": ["ReadWriteMany"], "storageClassName": "s", "resources": {"requests": {"storage": "1Gi"}}}})),
    phase("deleted", delete(MANY_DEPLOYMENT)),
)  # fmt: skip
trial(
    "service of 5,000 endpoints", 20,
    phase("created", create(SERVICES, {**meta("s"), "spec": {"selector": LABELS, "ports": [{"port": 80}]}}),
          deployment()),
    phase("selector changed", patch(f"{SERVICES}/s", {"spec": {"selector": {"x": "y"}}})),
    phase("selector changed back", patch(f"{SERVICES}/s", {"spec": {"selector": {"x": None}}})),
    phase("deleted", delete(f"{SERVICES}/s"), delete(MANY_DEPLOYMENT)),
)  # fmt: skip
trial(
    "autoscaler of 5,000 pods", 20,
    phase("created", create(HPA, {**meta("h"), "spec": {
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "many"}, "minReplicas": MANY,
        "maxReplicas": MANY, "metrics": [{"type": "Resource", "resource": {
            "name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}}}]}}), deployment(replicas=1)),
    phase("minutes pass", pass_="300s"),
    phase("scaled down", patch(f"{HPA}/h", {"spec": {"minReplicas": 1, "maxReplicas": 2}})),
)  # fmt: skip
trial(
    "disruption budget of 5,000 pods", 20,
    phase("created", create("/apis/policy/v1/namespaces/default/poddisruptionbudgets", {
        **meta("b"), "spec": {"selector": {"matchLabels": LABELS}, "maxUnavailable": 1}}), deployment()),
    phase("deleted", delete(MANY_DEPLOYMENT)),
)  # fmt: skip
