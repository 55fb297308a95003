from __future__ import annotations

import pytest

from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podspec import SpecTable

INFEASIBLE = [{"type": "PodResizePending", "status": "True", "reason": "Infeasible"}]
DEFERRED = [{"type": "PodResizePending", "status": "True", "reason": "Deferred"}]


def cpu_held(asked, status, **container):
    """What a pod with one container of that request holds, in milli-CPU."""
    main = {"name": "c", "image": "app", "resources": {"requests": {"cpu": asked}}}
    spec = {"containers": [main]}
    if container:
        spec = {"containers": [{"name": "main", "image": "app"}], "initContainers": [{**main, **container}]}
    return Pod.parse({"metadata": {"name": "p"}, "spec": spec, "status": status}, SpecTable()).requests["cpu"]


def a_status(actual, allocated=None, conditions=(), name="c"):
    resources = {"resources": {"requests": {"cpu": actual}}} if actual else {}
    allocation = {"allocatedResources": {"cpu": allocated}} if allocated else {}
    return {"containerStatuses": [{"name": name, **resources, **allocation}], "conditions": list(conditions)}


@pytest.mark.parametrize(
    ("asked", "status", "held"),
    [
        pytest.param("1", {}, 1000, id="not running yet"),
        pytest.param("1", a_status("1"), 1000, id="at rest"),
        pytest.param("2", a_status("1"), 2000, id="growing: what it asks for"),
        pytest.param("1", a_status("2"), 2000, id="shrinking: what it still has"),
        pytest.param("1", a_status("1", allocated="3"), 3000, id="allocated, but not used yet"),
        pytest.param("4", a_status("1", "2", INFEASIBLE), 2000, id="a wish that the node cannot fulfil"),
        pytest.param("4", a_status("1", "2", DEFERRED), 4000, id="a wish that the node will fulfil later"),
        pytest.param("1", a_status(None, allocated="3"), 1000, id="a kubelet that does not report resources"),
        pytest.param("1", a_status("3", name="other"), 1000, id="a container of another name"),
    ],
)
def test_a_pod_holds_the_most_of_asked_allocated_and_actual(asked, status, held):
    assert cpu_held(asked, status) == held


@pytest.mark.parametrize(("policy", "held"), [({"restartPolicy": "Always"}, 2000), ({"restartPolicy": None}, 1000)])
def test_of_init_containers_only_sidecars_are_resized(policy, held):
    status = {"initContainerStatuses": a_status("2")["containerStatuses"]}
    assert cpu_held("1", status, **policy) == held


def test_the_manifest_keeps_what_was_asked_for():
    container = {"name": "c", "image": "app", "resources": {"requests": {"cpu": "1"}}}
    manifest = {"metadata": {"name": "p"}, "spec": {"containers": [container]}, "status": a_status("2")}
    pod = Pod.parse(manifest, SpecTable())
    assert pod.requests["cpu"] == 2000
    assert pod.render()["spec"]["containers"] == [container]
