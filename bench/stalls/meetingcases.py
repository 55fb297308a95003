"""Heavy objects that meet: terms that match the labels of a heavy pod, topologies that are labels of a heavy node.

The first object is there already; the second one is stored, later read, changed and deleted. A pod that stays pending
is tried again by what happens to small pods and nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from objectcases import CASES, PODS, SERVICES, Case, Step, dump, in_affinity, meta, pod, pod_term, spread
from simulatedcases import in_pod_affinity, life, weighted_term

NODES = "/api/v1/nodes"
SETS = "/apis/apps/v1/namespaces/default/replicasets"
BUDGETS = "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
MERGE_PATCH = "application/merge-patch+json"
HOST = "kubernetes.io/hostname"
LABELS = 120_000  # of one object
Make = Callable[[int], Any]
Posts = list[tuple[str, Any]]  # paths, and what is created there


def meeting(name: str, there: Callable[[], Posts], path: str, make: Callable[[], Any], busy: bool = False) -> None:
    """Adds a case that stores an object beside those that are there; `busy` lets events try it again."""
    CASES.append(
        Case(
            f"meeting: {name}",
            lambda: Step("POST", path, dump(make())),
            before=lambda: (Step("POST", where, dump(each)) for where, each in there()),
            then=lambda: iter([*(small_events() if busy else ()), *life(f"{path}/heavy")]),
            after=lambda: (
                Step("DELETE", f"{where}/{each['metadata']['name']}?gracePeriodSeconds=0") for where, each in there()
            ),
        )
    )


def small_events() -> Iterator[Step]:
    """What wakes pending pods: a pod comes and goes, a node is labelled and tainted."""
    small = {**pod(), **meta("small", labels={"a": "v1"})}
    yield Step("POST", PODS, dump(small))
    yield Step("PATCH", f"{PODS}/small", dump({"metadata": {"labels": {"a": "v2"}}}), MERGE_PATCH)
    yield Step("DELETE", f"{PODS}/small?gracePeriodSeconds=0")
    yield Step("PATCH", f"{NODES}/n-1", dump({"metadata": {"labels": {"k1": "v"}}}), MERGE_PATCH)
    yield Step("PATCH", f"{NODES}/n-1", dump({"spec": {"taints": [{"key": "k", "effect": "NoSchedule"}]}}), MERGE_PATCH)
    clean = {"metadata": {"labels": {"k1": None}}, "spec": {"taints": None}}
    yield Step("PATCH", f"{NODES}/n-1", dump(clean), MERGE_PATCH)


def labels(number: int = LABELS, value: Callable[[int], str] = lambda i: "v") -> dict[str, str]:
    return {f"k{i}": value(i) for i in range(number)}


def labelled_pod(name: str = "other", number: int = 100_000, **spec: Any) -> Any:
    return {**pod(**spec), **meta(name, labels=labels(number))}


def labelled_node(number: int = LABELS) -> Any:
    capacity = {"cpu": "64", "memory": "256Gi", "pods": "500"}
    made = {**labels(number), HOST: "other"}
    return {**meta("other", labels=made), "status": {"capacity": capacity, "allocatable": capacity}}


def key_term(i: int, value: str = "v") -> Any:
    """A term that means pods with one of the labels of a heavy pod, if the value is theirs."""
    return {"labelSelector": {"matchLabels": {f"k{i}": value}}, "topologyKey": HOST}


def near_term(i: int) -> Any:
    """A term that nearly matches a heavy pod: it has the first label but not the second one."""
    return {"labelSelector": {"matchLabels": {f"k{i}": "v", "missing": "v"}}, "topologyKey": HOST}


def pod_with(name: str, spec: Any, **more: Any) -> Any:
    return {**spec, **meta(name, **more)}


def terms(number: int, make: Make, kind: str = "podAntiAffinity", when: str = "required") -> Any:
    return in_pod_affinity(kind, when)([make(i) for i in range(number)])


def spreading(number: int, action: str) -> Any:
    return pod(topologySpreadConstraints=[{**spread(i), "whenUnsatisfiable": action} for i in range(number)])


def has(key: str) -> Any:
    return {"key": key, "operator": "Exists"}


def weighted(i: int) -> Any:
    return {"weight": 1, "podAffinityTerm": key_term(i)}


for kind in ("podAntiAffinity", "podAffinity"):
    meeting(f"{kind}, 28,000 terms, beside a pod with these labels",
            lambda: [(PODS, labelled_pod())], PODS, partial(terms, 28_000, key_term, kind))  # fmt: skip
    meeting(f"{kind}, 22,000 terms, beside a pod that nearly has these labels",
            lambda: [(PODS, labelled_pod())], PODS, partial(terms, 22_000, near_term, kind))  # fmt: skip
    meeting(f"{kind}, 20,000 preferred terms, beside a pod with these labels",
            lambda: [(PODS, labelled_pod())], PODS, partial(terms, 20_000, weighted, kind, "preferred"))  # fmt: skip
meeting("100,000 labels beside a pod with 28,000 anti-affinity terms for them",
        lambda: [(PODS, pod_with("other", terms(28_000, key_term)))], PODS, partial(labelled_pod, "heavy"))  # fmt: skip
meeting("100,000 labels beside a pod with 20,000 preferred terms for them",
        lambda: [(PODS, pod_with("other", terms(20_000, weighted, "podAffinity", "preferred")))],
        PODS, partial(labelled_pod, "heavy"))  # fmt: skip
meeting("three pods, each with 30,000 anti-affinity terms",
        lambda: [(PODS, pod_with(f"other-{i}", terms(30_000, pod_term), labels={"a": "v0"})) for i in range(2)],
        PODS, lambda: pod_with("heavy", terms(30_000, pod_term), labels={"a": "v29999"}))  # fmt: skip
for action in ("DoNotSchedule", "ScheduleAnyway"):
    meeting(f"17,000 spread constraints, {action}, whose topologies one node has",
            lambda: [(NODES, labelled_node())], PODS, partial(spreading, 17_000, action))  # fmt: skip
meeting("17,000 spread constraints of a pod's labels",
        lambda: [(NODES, labelled_node()), (PODS, labelled_pod())], PODS,
        lambda: pod(topologySpreadConstraints=[{**spread(i), **key_term(i), "topologyKey": f"k{i}"}
                                               for i in range(17_000)]))  # fmt: skip
meeting("a service with 120,000 selectors beside a pod with these labels",
        lambda: [(PODS, labelled_pod(number=LABELS))], SERVICES,
        lambda: {**meta(), "spec": {"selector": labels(), "ports": [{"port": 1}]}})  # fmt: skip
meeting("120,000 labels beside a service with 120,000 selectors",
        lambda: [(SERVICES, {**meta("other"), "spec": {"selector": labels(), "ports": [{"port": 1}]}})],
        PODS, partial(labelled_pod, "heavy", LABELS))  # fmt: skip
meeting("90,000 tolerations, and a node with 50,000 taints",
        lambda: [(NODES, {**labelled_node(0),
                          "spec": {"taints": [{"key": f"k{i}", "effect": "NoSchedule"} for i in range(50_000)]}})],
        PODS, lambda: pod(tolerations=[{"key": f"k{i}"} for i in range(90_000)]))  # fmt: skip
meeting("48,000 node terms, and a node with 120,000 labels",
        lambda: [(NODES, labelled_node())], PODS,
        lambda: in_affinity([{"matchExpressions": [has(f"k{i}")]} for i in range(48_000)]))  # fmt: skip
meeting("48,000 node terms that nearly match a node with 120,000 labels",
        lambda: [(NODES, labelled_node())], PODS,
        lambda: in_affinity([{"matchExpressions": [{"key": f"k{i}", "operator": "Lt", "values": ["0"]}]}
                             for i in range(40_000)]))  # fmt: skip
meeting("120,000 node selectors, and a node with 120,000 labels",
        lambda: [(NODES, labelled_node())], PODS, lambda: pod(nodeSelector=labels()))  # fmt: skip


def selecting(i: int) -> Posts:
    """A service, a budget and a ReplicaSet that select by one label of a heavy pod."""
    selector = {"matchLabels": {f"k{i}": "v"}}
    template = {"metadata": {"labels": {f"k{i}": "v"}}, "spec": pod()["spec"]}
    return [
        (SERVICES, {**meta(f"s-{i}"), "spec": {"selector": selector["matchLabels"], "ports": [{"port": 1}]}}),
        (BUDGETS, {**meta(f"b-{i}"), "spec": {"selector": selector, "minAvailable": 0}}),
        (SETS, {**meta(f"r-{i}"), "spec": {"replicas": 0, "selector": selector, "template": template}}),
    ]


meeting("120,000 labels beside 100 services, budgets and ReplicaSets",
        lambda: [each for i in range(100) for each in selecting(i)], PODS,
        partial(labelled_pod, "heavy", LABELS))  # fmt: skip
meeting("120,000 labels beside 30 pods with terms and constraints",
        lambda: [(PODS, pod_with(f"small-{i}", {**pod(affinity={"podAntiAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": [key_term(i, "w")]}},
            topologySpreadConstraints=[{**spread(i), **key_term(i), "topologyKey": HOST}])})) for i in range(30)],
        PODS, partial(labelled_pod, "heavy", LABELS))  # fmt: skip

# pods that stay pending

NOWHERE = {"nodeSelector": {"no": "where"}}


def pending(name: str, make: Callable[[], Any]) -> None:
    meeting(f"pending, {name}", list, PODS, make, busy=True)


pending("30,000 affinity terms", partial(terms, 30_000, pod_term, "podAffinity"))
pending("30,000 anti-affinity terms", lambda: _nowhere(terms(30_000, pod_term)))
pending("22,000 preferred terms", lambda: _nowhere(terms(22_000, weighted_term, "podAffinity", "preferred")))
pending("28,000 node terms",
        lambda: in_affinity([{"matchExpressions": [has(f"k{i}"), has("no")]} for i in range(28_000)]))  # fmt: skip
pending("48,000 node terms",
        lambda: _nowhere(in_affinity([{"matchExpressions": [has(f"k{i}")]} for i in range(48_000)])))  # fmt: skip
pending("90,000 tolerations", lambda: _nowhere(pod(tolerations=[{"key": f"k{i}"} for i in range(90_000)])))
pending("17,000 spread constraints", partial(spreading, 17_000, "DoNotSchedule"))
pending("120,000 labels", lambda: _nowhere(labelled_pod("heavy", LABELS)))


def _nowhere(made: Any) -> Any:
    return {**made, "spec": {**made["spec"], **NOWHERE}}
