"""What may change in a pod once it is created."""

from __future__ import annotations

from typing import Any

import pytest

from tests.apiserver.inprocess import PODS, Caller
from tests.support.objects import pod_manifest

TOLERATION = {"key": "k", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 60}
OTHERS = "pod updates may not change fields other than"
GATES = [{"name": "a"}, {"name": "b"}]


def selected(*values: str) -> dict[str, Any]:
    terms = [{"matchExpressions": [{"key": "disk", "operator": "In", "values": [value]}]} for value in values]
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
    return {"nodeAffinity": required}


def updated(before: dict[str, Any], after: dict[str, Any]) -> Any:
    """Creates a pod, changes its spec, and returns the answer."""
    caller = Caller()
    caller.create(PODS, pod_manifest("p", **before))
    document = caller.get(f"{PODS}/p").body
    document["spec"] = {key: value for key, value in {**document["spec"], **after}.items() if value is not None}
    return caller.ask("PUT", f"{PODS}/p", document)


def container(**changes: Any) -> list[dict[str, Any]]:
    (made,) = pod_manifest("p")["spec"]["containers"]
    return [{**made, **changes}]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param({}, {"containers": container(image="app:2")}, id="an image"),
        pytest.param({}, {"activeDeadlineSeconds": 60}, id="a deadline is set"),
        pytest.param({"activeDeadlineSeconds": 60}, {"activeDeadlineSeconds": 30}, id="a deadline is shortened"),
        pytest.param({}, {"tolerations": [TOLERATION]}, id="a toleration is added"),
        pytest.param(
            {"tolerations": [TOLERATION]},
            {"tolerations": [{**TOLERATION, "tolerationSeconds": 5}]},
            id="a toleration lasts shorter",
        ),
        pytest.param({"schedulingGates": GATES}, {"schedulingGates": GATES[:1]}, id="a gate is removed"),
        pytest.param(
            {"schedulingGates": GATES, "nodeSelector": {"a": "b"}},
            {"nodeSelector": {"a": "b", "c": "d"}},
            id="the node selector of a gated pod is narrowed",
        ),
        pytest.param({"schedulingGates": GATES}, {"affinity": selected("ssd")}, id="a gated pod gets a node affinity"),
    ],
)
def test_these_fields_may_change(before: dict[str, Any], after: dict[str, Any]) -> None:
    assert updated(before, after).status == 200


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        pytest.param(
            {}, {"containers": container() + container(name="b")}, "may not add or remove containers", id="more"
        ),
        pytest.param({}, {"containers": container(command=["x"])}, OTHERS, id="a command"),
        pytest.param({}, {"restartPolicy": "Never"}, OTHERS, id="the restart policy"),
        pytest.param({}, {"nodeSelector": {"a": "b"}}, OTHERS, id="the node selector of a pod without gates"),
        pytest.param(
            {"activeDeadlineSeconds": 60},
            {"activeDeadlineSeconds": 90},
            "less than or equal to previous value",
            id="longer",
        ),
        pytest.param(
            {"activeDeadlineSeconds": 60},
            {"activeDeadlineSeconds": None},
            "from a positive integer to nil",
            id="no deadline",
        ),
        pytest.param(
            {}, {"activeDeadlineSeconds": -1}, "must be between 0 and 2147483647, inclusive", id="a negative deadline"
        ),
        pytest.param(
            {"tolerations": [TOLERATION]},
            {"tolerations": [{**TOLERATION, "effect": "NoSchedule"}]},
            "existing toleration can not be modified except its tolerationSeconds",
            id="a toleration of another effect",
        ),
        pytest.param(
            {},
            {"schedulingGates": GATES[:1]},
            "only deletion is allowed, but found new scheduling gate 'a'",
            id="a new gate",
        ),
        pytest.param(
            {"schedulingGates": GATES, "nodeSelector": {"a": "b"}},
            {"nodeSelector": {"a": "c"}},
            "only additions to spec.nodeSelector are allowed",
            id="another node selector of a gated pod",
        ),
        pytest.param(
            {"schedulingGates": GATES, "affinity": selected("ssd")},
            {"affinity": selected("ssd", "hdd")},
            "no additions/deletions to non-empty NodeSelectorTerms list are allowed",
            id="a wider affinity of a gated pod",
        ),
        pytest.param(
            {}, {"containers": container(image="")}, "spec.containers[0].image: Required value", id="no image"
        ),
    ],
)
def test_these_changes_are_refused(before: dict[str, Any], after: dict[str, Any], message: str) -> None:
    answer = updated(before, after)
    assert answer.status == 422
    assert message in answer.body["message"]
