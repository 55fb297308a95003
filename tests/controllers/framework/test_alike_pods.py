"""Pods of equal specs in documents that are made anew: as if each had been completed by itself."""

from __future__ import annotations

import random
from typing import Any

import pytest

from wavetank.cluster.objects.kinds import PriorityClass
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.store.store import Store
from wavetank.controllers.framework.storeclient import StoreClient
from wavetank.kernel.clock import Clock

LIMITS = {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "limits"}, "spec": {"limits": []}}


def a_document(name: str, **metadata: Any) -> dict[str, Any]:
    owner = {"kind": "SparkApplication", "name": name, "controller": True}
    labels = {"app": name}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": labels, "ownerReferences": [owner], **metadata},
        "spec": {"containers": [{"name": "main", "image": "x"}]},
    }


class Completed:
    """A client, and the pods that were completed."""

    def __init__(self, by_spec: bool = True) -> None:
        self.store = Store(Clock())
        self.names: list[str] = []
        self._client = StoreClient(self.store, random.Random(0), self._complete, by_spec=by_spec)

    def _complete(self, pod: Pod) -> None:
        self.names.append(pod.name)
        pod.priority = 7

    def create(self, document: dict[str, Any]) -> Pod:
        made = self._client.create(document)
        assert isinstance(made, Pod)
        return made


def test_pods_of_equal_specs_are_completed_once_and_have_their_own_documents() -> None:
    completed = Completed()
    one, two = completed.create(a_document("one")), completed.create(a_document("two"))
    assert completed.names == ["one"]
    assert (two.name, two.labels, two.manifest["metadata"]["name"], two.priority) == ("two", {"app": "two"}, "two", 7)
    assert one.spec is two.spec
    assert (one.labels, one.uid != two.uid) == ({"app": "one"}, True)


@pytest.mark.parametrize(
    "second",
    [
        pytest.param(a_document("two", annotations={"wavetank.dev/duration": "5s"}), id="annotations of its own"),
        pytest.param(a_document("two", namespace="other"), id="another namespace"),
        pytest.param(a_document("two", ownerReferences=[{"kind": "Job", "controller": True}]), id="another owner"),
    ],
)
def test_a_pod_that_differs_in_more_than_labels_is_completed_by_itself(second: dict[str, Any]) -> None:
    completed = Completed()
    completed.create(a_document("one"))
    completed.create(second)
    assert completed.names == ["one", "two"]


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(Resource(LIMITS), id="limits of the namespace"),
        pytest.param(
            PriorityClass(
                {
                    "apiVersion": "scheduling.k8s.io/v1",
                    "kind": "PriorityClass",
                    "metadata": {"name": "p"},
                    "value": 5,
                    "globalDefault": True,
                }
            ),
            id="a default priority",
        ),
    ],
)
def test_what_a_cluster_gets_later_counts(change: Resource) -> None:
    completed = Completed()
    completed.create(a_document("one"))
    completed.store.create(change.copy())
    completed.create(a_document("two"))
    assert completed.names == ["one", "two"]


def test_every_pod_is_completed_where_its_labels_are_read() -> None:
    completed = Completed(by_spec=False)
    completed.create(a_document("one"))
    completed.create(a_document("two"))
    assert completed.names == ["one", "two"]
