"""What admission adds and refuses."""

from __future__ import annotations

from typing import Any

import pytest

from tests.apiserver.admission.asking import Document, add, ask, asking, pod, quota, refused
from wavetank.apiserver.errors import StatusError
from wavetank.cluster.store.store import Store

# namespaces


def test_a_namespace_must_be_there(store: Store) -> None:
    store.delete(store.get("Namespace", "", "ns"))
    assert refused(store, "ConfigMap", {}, "NamespaceLifecycle") == 'namespaces "ns" not found'


def test_nothing_new_comes_into_a_namespace_that_goes(store: Store) -> None:
    store.patch("Namespace", "", "ns", {"status": {"phase": "Terminating"}})
    with pytest.raises(StatusError) as error:
        ask(store, "ConfigMap", {}, "NamespaceLifecycle")
    why = "unable to create new content in namespace ns because it is being terminated"
    assert str(error.value) == f'configmaps "x" is forbidden: {why}'
    assert error.value.status["details"]["causes"][0]["reason"] == "NamespaceTerminating"


# priorities


def test_a_pod_gets_the_priority_of_its_class(store: Store) -> None:
    add(store, "scheduling.k8s.io/v1", "PriorityClass", "high", value=7, preemptionPolicy="Never")
    spec = ask(store, "Pod", pod(priorityClassName="high"), "Priority")["spec"]
    assert (spec["priority"], spec["preemptionPolicy"]) == (7, "Never")


def test_a_pod_without_class_gets_the_default_one(store: Store) -> None:
    add(store, "scheduling.k8s.io/v1", "PriorityClass", "usual", value=3, globalDefault=True)
    spec = ask(store, "Pod", pod(), "Priority")["spec"]
    assert (spec["priorityClassName"], spec["priority"]) == ("usual", 3)


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ({"priorityClassName": "nope"}, "no PriorityClass with name nope was found"),
        (
            {"priority": 5},
            "the integer value of priority (5) must not be provided in pod spec; priority admission controller computed"
            " 0 from the given PriorityClass name",
        ),
    ],
)
def test_a_pod_does_not_choose_its_priority_itself(store: Store, spec: Document, why: str) -> None:
    assert refused(store, "Pod", pod(**spec), "Priority") == f'pods "x" is forbidden: {why}'


def test_there_is_one_default_class(store: Store) -> None:
    add(store, "scheduling.k8s.io/v1", "PriorityClass", "usual", value=3, globalDefault=True)
    why = "PriorityClass usual is already marked as default. Only one default can exist"
    message = refused(store, "PriorityClass", {"value": 1, "globalDefault": True}, "Priority")
    assert message == f'priorityclasses.scheduling.k8s.io "x" is forbidden: {why}'


# pods


@pytest.mark.parametrize(
    ("given", "added"),
    [
        pytest.param([], ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"], id="both"),
        pytest.param(
            [{"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute"}],
            ["node.kubernetes.io/unreachable"],
            id="one is there",
        ),
        pytest.param([{"operator": "Exists"}], [], id="everything is tolerated"),
        pytest.param(
            [{"operator": "Exists", "effect": "NoSchedule"}],
            ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"],
            id="but not by running pods",
        ),
    ],
)
def test_pods_stay_for_five_minutes_on_failing_nodes(store: Store, given: list[Document], added: list[str]) -> None:
    tolerations = ask(store, "Pod", pod(tolerations=given), "DefaultTolerationSeconds")["spec"]["tolerations"]
    assert [one["key"] for one in tolerations[len(given) :]] == added
    assert all(one["tolerationSeconds"] == 300 for one in tolerations[len(given) :])


def test_a_pod_that_names_its_node_has_its_zone(store: Store) -> None:
    add(store, "v1", "Node", "n", metadata={"labels": {"topology.kubernetes.io/zone": "z"}}, status={"allocatable": {}})
    document = ask(store, "Pod", pod(nodeName="n"), "PodTopologyLabels")
    assert document["metadata"]["labels"] == {"topology.kubernetes.io/zone": "z"}


def test_a_runtime_class_costs_its_overhead(store: Store) -> None:
    scheduling = {"nodeSelector": {"kata": "yes"}}
    add(store, "node.k8s.io/v1", "RuntimeClass", "kata", overhead={"podFixed": {"cpu": "1"}}, scheduling=scheduling)
    spec = ask(store, "Pod", pod(runtimeClassName="kata"), "RuntimeClass")["spec"]
    assert (spec["overhead"], spec["nodeSelector"]) == ({"cpu": "1"}, {"kata": "yes"})
    message = refused(store, "Pod", pod(runtimeClassName="none"), "RuntimeClass")
    assert message == 'pods "x" is forbidden: pod rejected: RuntimeClass "none" not found'


def test_a_pod_gets_an_account_and_its_token(store: Store) -> None:
    missing = 'error looking up service account ns/default: serviceaccount "default" not found'
    assert refused(store, "Pod", pod(), "ServiceAccount") == f'pods "x" is forbidden: {missing}'
    add(store, "v1", "ServiceAccount", "default", imagePullSecrets=[{"name": "s"}])
    spec = ask(store, "Pod", pod(), "ServiceAccount")["spec"]
    assert (spec["serviceAccountName"], spec["imagePullSecrets"]) == ("default", [{"name": "s"}])
    (mount,) = spec["containers"][0]["volumeMounts"]
    assert mount["name"] == spec["volumes"][0]["name"]
    assert "volumes" not in ask(store, "Pod", pod(automountServiceAccountToken=False), "ServiceAccount")["spec"]


# limits and quotas


def limits(store: Store, **limit: Any) -> None:
    add(store, "v1", "LimitRange", "l", spec={"limits": [{"type": "Container", **limit}]})


def test_containers_get_the_default_limits_of_their_namespace(store: Store) -> None:
    limits(store, default={"cpu": "1"}, defaultRequest={"cpu": "100m", "memory": "1Mi"})
    document = ask(store, "Pod", pod(), "LimitRanger")
    resources = document["spec"]["containers"][0]["resources"]
    assert resources == {"limits": {"cpu": "1"}, "requests": {"cpu": "100m", "memory": "1Mi"}}
    note = "LimitRanger plugin set: cpu, memory request for container c; cpu limit for container c"
    assert document["metadata"]["annotations"]["kubernetes.io/limit-ranger"] == note


@pytest.mark.parametrize(
    ("limit", "why"),
    [
        ({"max": {"cpu": "1"}}, "maximum cpu usage per Container is 1.  No limit is specified"),
        ({"min": {"cpu": "3"}}, "minimum cpu usage per Container is 3, but request is 2"),
        ({"min": {"memory": "3"}}, "minimum memory usage per Container is 3.  No request is specified"),
        (
            {"maxLimitRequestRatio": {"cpu": "2"}},
            "cpu max limit to request ratio per Container is 2, but no limit is specified or limit is 0",
        ),
    ],
)
def test_containers_keep_the_bounds_of_their_namespace(store: Store, limit: Document, why: str) -> None:
    limits(store, **limit)
    assert refused(store, "Pod", asking(cpu="2"), "LimitRanger") == f'pods "x" is forbidden: {why}'


def test_what_is_used_of_a_quota_is_counted(store: Store) -> None:
    quota(store, {"pods": "2", "requests.cpu": "1"}, {"pods": "1", "requests.cpu": "500m"})
    ask(store, "Pod", asking(cpu="400m"), "ResourceQuota")
    assert store.get("ResourceQuota", "ns", "q").manifest["status"]["used"] == {"pods": "2", "requests.cpu": "900m"}


@pytest.mark.parametrize(
    ("document", "why"),
    [
        (pod(), "failed quota: q: must specify requests.cpu for: c"),
        (
            asking(cpu="600m"),
            "exceeded quota: q, requested: requests.cpu=600m, used: requests.cpu=500m, limited: requests.cpu=1",
        ),
    ],
)
def test_a_quota_is_kept(store: Store, document: Document, why: str) -> None:
    quota(store, {"pods": "2", "requests.cpu": "1"}, {"pods": "1", "requests.cpu": "500m"})
    assert refused(store, "Pod", document, "ResourceQuota") == f'pods "x" is forbidden: {why}'
    assert store.get("ResourceQuota", "ns", "q").manifest["status"]["used"]["pods"] == "1"


@pytest.mark.parametrize(
    ("scopes", "document", "counted"),
    [
        (["BestEffort"], pod(), True),
        (["BestEffort"], asking(cpu="1"), False),
        (["Terminating"], pod(activeDeadlineSeconds=5), True),
        (["NotTerminating"], pod(activeDeadlineSeconds=5), False),
    ],
)
def test_a_quota_with_scopes_counts_only_pods_of_those(
    store: Store, scopes: list[str], document: Document, counted: bool
) -> None:
    quota(store, {"pods": "2"}, {"pods": "0"}, scopes=scopes)
    ask(store, "Pod", document, "ResourceQuota")
    assert store.get("ResourceQuota", "ns", "q").manifest["status"]["used"]["pods"] == ("1" if counted else "0")


# storage and nodes


def claim(**spec: Any) -> Document:
    return {"metadata": {"name": "x"}, "spec": {"resources": {"requests": {"storage": "1Gi"}}, **spec}}


def test_a_claim_gets_the_default_class_and_a_finalizer(store: Store) -> None:
    default = {"annotations": {"storageclass.kubernetes.io/is-default-class": "true"}}
    add(store, "storage.k8s.io/v1", "StorageClass", "fast", metadata=default, provisioner="p")
    given = ask(store, "PersistentVolumeClaim", claim())
    assert given["spec"]["storageClassName"] == "fast"
    assert given["metadata"]["finalizers"] == ["kubernetes.io/pvc-protection"]
    assert ask(store, "PersistentVolumeClaim", claim(storageClassName=""))["spec"]["storageClassName"] == ""


def test_only_bound_claims_grow(store: Store) -> None:
    larger = claim(resources={"requests": {"storage": "2Gi"}})
    how = {"operation": "UPDATE", "old": claim()}
    message = refused(store, "PersistentVolumeClaim", larger, "PersistentVolumeClaimResize", **how)
    assert message.endswith("Only bound persistent volume claims can be expanded")


def test_a_new_node_is_not_ready(store: Store) -> None:
    node = ask(store, "Node", {"spec": {"taints": [{"key": "a", "effect": "NoSchedule"}]}}, "TaintNodesByCondition")
    assert [taint["key"] for taint in node["spec"]["taints"]] == ["a", "node.kubernetes.io/not-ready"]
