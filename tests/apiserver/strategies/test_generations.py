"""What the server counts, keeps and drops when an object is written."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from tests.apiserver.documents import DOCUMENTS
from wavetank.apiserver.codec import canonical
from wavetank.apiserver.defaulting.defaults import set_defaults
from wavetank.apiserver.kinds import Kind, KindTable
from wavetank.apiserver.registry.preparing import prepare_create, prepare_status, prepare_update
from wavetank.apiserver.registry.strategies import strategy_of
from wavetank.apiserver.strategies.pods import prepare_ephemeral_containers, prepare_resize
from wavetank.apiserver.strategies.strategy import WriteContext

TABLE = KindTable.builtin()
NOW = WriteContext("2030-01-01T00:00:00Z")
STORED = {"uid": "u", "resourceVersion": "5", "creationTimestamp": "2029-01-01T00:00:00Z"}


def stored(name: str) -> tuple[Kind, dict[str, Any]]:
    """Returns a good object of a kind, as it is after its creation."""
    found = next(document for document in DOCUMENTS if document["kind"] == name)
    kind = TABLE.named(found["apiVersion"], name)
    assert kind is not None
    document = canonical(kind.schema, copy.deepcopy(found))
    document["metadata"] |= STORED
    set_defaults(kind, document)
    prepare_create(kind, document, NOW)
    return kind, document


def change(document: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    changed = copy.deepcopy(document)
    *parents, last = path.split(".")
    owner = changed
    for part in parents:
        owner = owner.setdefault(part, {})
    owner[last] = value
    return changed


@pytest.mark.parametrize(
    ("name", "path", "value", "generation"),
    [
        ("Deployment", "spec.replicas", 5, 2),
        ("Deployment", "metadata.annotations", {"a": "b"}, 2),
        ("Deployment", "metadata.labels", {"a": "b"}, 1),
        ("Deployment", "status.replicas", 5, 1),
        ("ReplicaSet", "metadata.annotations", {"a": "b"}, 1),
        ("Pod", "spec.activeDeadlineSeconds", 5, 2),
        ("Job", "spec.parallelism", 1, 2),
        ("EndpointSlice", "metadata.labels", {"a": "b"}, 2),
        ("PriorityClass", "description", "other", 1),
        ("ConfigMap", "data", {"a": "c"}, None),
        ("CSIDriver", "spec.fsGroupPolicy", "None", 1),
    ],
)
def test_a_change_that_matters_begins_a_new_generation(
    name: str, path: str, value: Any, generation: int | None
) -> None:
    kind, old = stored(name)
    new = change(old, path, value)
    prepare_update(kind, new, old, NOW)
    assert new["metadata"].get("generation") == generation


@pytest.mark.parametrize(
    ("name", "labels", "annotations"),
    [
        pytest.param("Pod", True, True, id="all metadata"),
        pytest.param("Deployment", False, True, id="all but labels"),
        pytest.param("VolumeAttachment", False, False, id="none"),
    ],
)
def test_what_a_write_to_the_status_may_change_of_the_metadata(name: str, labels: bool, annotations: bool) -> None:
    kind, old = stored(name)
    new = change(change(old, "metadata.labels", {"n": "1"}), "metadata.annotations", {"n": "1"})
    prepare_status(kind, new, old, NOW)
    assert (new["metadata"].get("labels") == {"n": "1"}) is labels
    assert (new["metadata"].get("annotations") == {"n": "1"}) is annotations
    assert new["spec"] == old["spec"]


def test_no_update_takes_back_what_the_server_has_set() -> None:
    kind, old = stored("ConfigMap")
    old["metadata"] |= {"deletionTimestamp": "2029-01-02T00:00:00Z", "deletionGracePeriodSeconds": 5}
    new = {**old, "metadata": {"name": "a", "namespace": "ns", "creationTimestamp": "2001-01-01T00:00:00Z"}}
    prepare_update(kind, new, old, NOW)
    for name in ("uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"):
        assert new["metadata"][name] == old["metadata"][name]


@pytest.mark.parametrize(
    ("resources", "expected"),
    [
        pytest.param([{}], "BestEffort", id="nothing asked"),
        pytest.param([{"requests": {"cpu": "1"}}], "Burstable", id="a request"),
        pytest.param([{"limits": {"cpu": "1", "memory": "1Gi"}}], "Guaranteed", id="limits are requests"),
        pytest.param([{"limits": {"cpu": "1", "memory": "1Gi"}}, {}], "Burstable", id="one of two"),
        pytest.param([{"requests": {"cpu": "0"}}], "BestEffort", id="nothing in particular"),
        pytest.param([{"requests": {"example.com/gpu": "1"}}], "BestEffort", id="only CPU and memory count"),
    ],
)
def test_a_new_pod_gets_its_quality_of_service(resources: list[dict[str, Any]], expected: str) -> None:
    kind = TABLE.named("v1", "Pod")
    assert kind is not None
    containers = [{"name": f"c{i}", "image": "i", "resources": one} for i, one in enumerate(resources)]
    pod = canonical(kind.schema, {"metadata": {"name": "a"}, "spec": {"containers": containers}})
    set_defaults(kind, pod)
    prepare_create(kind, pod, NOW)
    assert pod["status"] == {"phase": "Pending", "qosClass": expected}


def test_a_gated_pod_says_so() -> None:
    _, pod = stored("Pod")
    (condition,) = pod["status"]["conditions"]
    assert (condition["type"], condition["reason"], condition["lastTransitionTime"]) == (
        "PodScheduled",
        "SchedulingGated",
        NOW.now,
    )


def test_a_job_selects_its_pods_by_its_uid() -> None:
    _, job = stored("Job")
    labels = job["spec"]["template"]["metadata"]["labels"]
    assert job["spec"]["selector"] == {"matchLabels": {"batch.kubernetes.io/controller-uid": "u"}}
    assert (labels["controller-uid"], labels["job-name"]) == ("u", "a")


def test_the_versions_of_a_daemon_sets_template_are_counted() -> None:
    kind, old = stored("DaemonSet")
    new = change(old, "spec.template.spec.hostNetwork", True)
    prepare_update(kind, new, old, NOW)
    counts = [one["metadata"]["annotations"]["deprecated.daemonset.template.generation"] for one in (old, new)]
    assert counts == ["1", "2"]


def test_a_resize_changes_nothing_but_resources() -> None:
    _, old = stored("Pod")
    new = change(old, "spec.nodeName", "other")
    new["spec"]["containers"][0] |= {"image": "other", "resources": {"requests": {"cpu": "2"}}}
    prepare_resize(new, old, NOW)
    assert new["spec"]["containers"][0]["resources"] == {"requests": {"cpu": "2"}}
    assert new["spec"]["containers"][0]["image"] == old["spec"]["containers"][0]["image"]
    assert "nodeName" not in new["spec"]
    assert new["metadata"]["generation"] == 2


def test_ephemeral_containers_come_alone() -> None:
    _, old = stored("Pod")
    new = change(change(old, "spec.nodeName", "other"), "spec.ephemeralContainers", [{"name": "e", "image": "i"}])
    prepare_ephemeral_containers(new, old, NOW)
    assert new["spec"] == {**old["spec"], "ephemeralContainers": [{"name": "e", "image": "i"}]}


@pytest.mark.parametrize(
    ("api_version", "name", "creates", "unconditional"),
    [
        ("v1", "ConfigMap", False, True),
        ("v1", "Service", True, True),
        ("coordination.k8s.io/v1", "Lease", True, False),
        ("policy/v1", "PodDisruptionBudget", False, False),
        ("rbac.authorization.k8s.io/v1", "Role", True, True),
    ],
)
def test_how_a_put_may_be_meant(api_version: str, name: str, creates: bool, unconditional: bool) -> None:
    kind = TABLE.named(api_version, name)
    assert kind is not None
    assert (strategy_of(kind).create_on_update, strategy_of(kind).unconditional_update) == (creates, unconditional)
