"""A pod that goes at once: its status is written before only if it says why."""

from __future__ import annotations

import pytest

from wavetank.cluster.objects.groupkinds import POD
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.store.store import Store
from wavetank.kernel.clock import Clock


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        pytest.param("", ["gone "], id="without a reason"),
        pytest.param("Preempted", ["modified Preempted", "gone Preempted"], id="with a reason"),
    ],
)
def test_an_unbound_pod_goes_at_once(reason: str, told: list[str]) -> None:
    store, seen = Store(Clock()), list[str]()
    store.subscribe(
        POD,
        modified=lambda old, new: seen.append(f"modified {new.reason}"),
        deleted=lambda old: seen.append(f"gone {old.reason}"),
    )
    pod = Pod.parse({"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c"}]}}, store.specs)
    store.create(pod)
    store.evict(pod, reason)
    assert seen == told
