from __future__ import annotations

from tests.support.kueue import QUEUE
from tests.support.objects import pod_manifest
from wavetank.cluster.fields.labels import LargeLabels
from wavetank.cluster.objects.kueue import ADMISSION_GATE, MANAGED
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.store.store import Store
from wavetank.controllers.kueue.jobs.gating import gate
from wavetank.kernel.clock import Clock


def test_a_gated_pod_of_very_many_labels_has_plain_ones_in_its_manifest() -> None:
    """Only of plain dicts the API knows which labels a write has changed."""
    store = Store(Clock())
    labels = {QUEUE: "q", **{f"k{i}": "v" for i in range(1200)}}
    pod = Pod.parse(pod_manifest("p", labels=labels), store.specs)
    gate(pod, store)
    assert pod.gates == (ADMISSION_GATE,)
    assert isinstance(pod.labels, LargeLabels)
    assert type(pod.manifest["metadata"]["labels"]) is dict
    assert pod.labels == pod.manifest["metadata"]["labels"] == {**labels, MANAGED: "true"}
