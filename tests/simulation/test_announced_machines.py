"""MachineSets that are no groups of a document: their annotations say what their nodes have."""

from __future__ import annotations

from typing import Any

import pytest

from wavetank.cluster.objects.resource import Resource
from wavetank.controllers.machines.provider import NoTemplateError
from wavetank.kernel.durations import SECOND
from wavetank.simulation.scaling.drawnmachines import DrawnMachines
from wavetank.simulation.scaling.scalablegroup import ScalableGroup, group_of_annotations
from wavetank.simulation.world import World

API = "cluster.x-k8s.io/v1beta1"
CAPACITY = "capacity.cluster-autoscaler.kubernetes.io/"


def machine_set(kind: str = "MachineSet", **announced: str) -> dict[str, Any]:
    annotations = {CAPACITY + key: value for key, value in announced.items()}
    return {"apiVersion": API, "kind": kind, "metadata": {"name": "own", "annotations": annotations}, "spec": {}}


def a_machine() -> Resource:
    return Resource({"apiVersion": API, "kind": "Machine", "metadata": {"name": "own-001", "namespace": "default"}})


def test_annotations_announce_capacity_labels_taints_and_a_price() -> None:
    manifest = machine_set(cpu="4", memory="8Gi", maxPods="30", labels="disk=fast", taints="gpu=a:NoSchedule")
    manifest["metadata"]["annotations"]["wavetank.dev/price-per-hour"] = "0.5"
    group = group_of_annotations(Resource(manifest))
    assert group == ScalableGroup(
        "own",
        0,
        0,
        0,
        {"cpu": "4", "memory": "8Gi", "pods": "30"},
        {"disk": "fast"},
        [{"key": "gpu", "effect": "NoSchedule", "value": "a"}],
        boot=group.boot if group else None,  # type: ignore[arg-type]
        price=0.5,
    )


@pytest.mark.parametrize(
    "announced",
    [
        pytest.param({}, id="nothing"),
        pytest.param({"cpu": "4"}, id="no memory"),
        pytest.param({"cpu": "four", "memory": "8Gi"}, id="no quantity"),
    ],
)
def test_without_capacity_there_is_no_template(announced: dict[str, str]) -> None:
    world = World((1, 35), 1)
    world.create([machine_set(**announced)])
    with pytest.raises(NoTemplateError, match="own-001 has no annotations"):
        DrawnMachines(world.context, {}).boot(a_machine(), 1)


@pytest.mark.parametrize("kind", ["MachineSet", "MachineDeployment"])
def test_machines_boot_in_a_minute_with_the_present_capacity(kind: str) -> None:
    world = World((1, 35), 1)
    world.create([machine_set(kind, cpu="4", memory="8Gi")])
    cloud = DrawnMachines(world.context, {})
    boot = cloud.boot(a_machine(), 1)
    assert boot is not None
    assert boot.node_after == 60 * SECOND
    assert cloud.node(a_machine())["status"]["capacity"]["cpu"] == "4"
    old = world.store.get(f"{kind}.cluster.x-k8s.io", "default", "own")
    world.store.discard(old)
    assert cloud.node(a_machine())["status"]["capacity"]["cpu"] == "4"
    world.create([machine_set(kind, cpu="16", memory="8Gi")])
    assert cloud.node(a_machine())["status"]["capacity"]["cpu"] == "16"
    assert cloud.interruption(a_machine()) is None
