"""The built-in provisioner beside Karpenter core 1.12 itself (provider kwok), in lockstep on the same workloads.

Build it with `wavetank controller build karpenter --version v1.35.8 --package sigs.k8s.io/karpenter/kwok@v1.12.0`. Both
must launch the same instance types and delete the same nodes. Instants differ by the phase of Karpenter's loop of 10 s.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.experiments.nodepools.pools import deployment
from tests.loop.programs import an_experiment
from wavetank.controllers.karpenter.definitions import definitions
from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND
from wavetank.loop.building.cache import Cache
from wavetank.loop.recipes import RECIPES
from wavetank.simulation.observer import Observer
from wavetank.simulation.simulation import Simulation

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="programs run in the loop on Linux")

TYPE = "node.kubernetes.io/instance-type"
PHASE_S = 12  # Karpenter looks every 10 s, from its own start on
REQUIREMENTS = [
    {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["on-demand"]},
    {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["test-zone-a"]},
    {"key": "karpenter.kwok.sh/instance-cpu", "operator": "Lt", "values": ["33"]},
    {"key": "kubernetes.io/arch", "operator": "In", "values": ["amd64"]},
    {"key": "kubernetes.io/os", "operator": "In", "values": ["linux"]},
]
DISRUPTION = {
    "consolidationPolicy": "WhenEmptyOrUnderutilized",
    "consolidateAfter": "60s",
    "budgets": [{"nodes": "50%"}],
}
PROGRAM = {"timerSlack": "1ms"}
READY = {
    "type": "Ready",
    "status": "True",
    "reason": "Ready",
    "message": "",
    "lastTransitionTime": "2030-01-01T00:00:00Z",
}
CLASS = {
    "apiVersion": "karpenter.kwok.sh/v1alpha1",
    "kind": "KWOKNodeClass",
    "metadata": {"name": "default"},
    "spec": {"nodeRegistrationDelay": "30s"},
    "status": {"conditions": [{**READY, "lastTransitionTime": "2030-01-01T00:00:00Z"}]},
}
REFERENCE = {"group": "karpenter.kwok.sh", "kind": "KWOKNodeClass", "name": "default"}
POOL = {
    "apiVersion": "karpenter.sh/v1",
    "kind": "NodePool",
    "metadata": {"name": "default"},
    "spec": {
        "template": {"spec": {"expireAfter": "720h", "nodeClassRef": REFERENCE, "requirements": REQUIREMENTS}},
        "disruption": DISRUPTION,
    },
}

Decision = tuple[str, str, int]  # what happens to a node of which type, in which second


def custom_kinds() -> list[dict[str, Any]]:
    """Returns the definitions that Karpenter asks for: those of a run, and two more of the same form."""
    overlay, node_class = definitions()
    overlay["metadata"]["name"] = "nodeoverlays.karpenter.sh"
    names = {"kind": "NodeOverlay", "listKind": "NodeOverlayList", "plural": "nodeoverlays", "singular": "nodeoverlay"}
    overlay["spec"]["names"] = names
    overlay["spec"]["versions"] = [{**overlay["spec"]["versions"][0], "name": "v1alpha1"}]
    node_class["metadata"]["name"] = "kwoknodeclasses.karpenter.kwok.sh"
    plural, kind = "kwoknodeclasses", "KWOKNodeClass"
    node_class["spec"]["group"] = "karpenter.kwok.sh"
    node_class["spec"]["names"] = {"kind": kind, "listKind": f"{kind}List", "plural": plural, "singular": kind.lower()}
    node_class["spec"]["versions"] = [{**node_class["spec"]["versions"][0], "name": "v1alpha1"}]
    return [*definitions(), overlay, node_class]


def some(name: str, replicas: int, cpu: str, arrival: str, lifetime: str = "") -> dict[str, Any]:
    """Returns a Deployment whose pods take 2 s to end."""
    return deployment(name, replicas, cpu, lifetime, arrival, annotations={"wavetank.dev/termination": "2"})


# Workloads in which no two nodes are equally good to delete: Karpenter would take any of them.
WORKLOADS = [
    pytest.param(
        [
            some("a", 3, "1", "20s"),
            some("b", 6, "2", "100s", "200s"),
            some("c", 2, "500m", "250s"),
            some("d", 10, "1500m", "330s", "150s"),
        ],
        id="replaced by larger and by smaller nodes",
    ),
    pytest.param(
        [some("a", 2, "1", "10s"), some("b", 7, "1500m", "60s", "120s"), some("c", 3, "3500m", "240s", "90s")],
        id="two waves",
        marks=pytest.mark.skipif(not os.environ.get("WAVETANK_ALL"), reason="takes some seconds: make test-all"),
    ),
]


class Decisions(Observer):
    """Notes which nodes are launched and deleted."""

    def __init__(self) -> None:
        self.made: list[Decision] = []

    def join(self, context: Any) -> None:
        """Watches nodes and claims."""

        def note(what: str, resource: Any) -> None:
            if TYPE in resource.labels:
                self.made.append((what, resource.labels[TYPE], round(context.clock.now / SECOND)))

        def modified(old: Any, new: Any) -> None:
            if old.deleted is None and new.deleted is not None:
                note("deleted", new)

        context.store.subscribe("Node", added=lambda node: note("launched", node))
        context.store.subscribe("NodeClaim.karpenter.sh", modified=modified)


def decisions(workload: Path, **spec: Any) -> list[Decision]:
    usual = {"schedulers": [{"name": "default"}], "ties": "random", "horizon": "12m"}
    experiment = an_experiment(**{**usual, "workload": {"file": str(workload)}, **spec})
    found = Decisions()
    Simulation(experiment.setting(experiment.schedulers[0]), 1, [found]).run()
    return sorted(found.made)


@pytest.mark.parametrize("objects", WORKLOADS)
def test_the_built_in_provisioner_decides_as_karpenter_does(tmp_path: Path, objects: list[dict[str, Any]]) -> None:
    try:
        Cache().find("karpenter", RECIPES["karpenter"].version, "controller")
    except InputError as error:
        pytest.skip(str(error))
    workload = tmp_path / "workload.yaml"
    workload.write_text(yaml.safe_dump_all(objects))
    nodes = [{"name": "control", "cpu": "100m", "memory": "64Mi"}]
    pool = {"name": "default", "instanceTypes": "kwok", "boot": "30s"}
    pool |= {"requirements": REQUIREMENTS, "disruption": DISRUPTION}
    built_in = decisions(workload, cluster={"nodes": nodes}, nodePools=[pool])
    program = {"name": "karpenter", "process": PROGRAM}
    cluster = {"nodes": nodes, "objects": [*custom_kinds(), CLASS, POOL]}
    real = decisions(workload, cluster=cluster, controllers=[program])
    assert [each[:2] for each in built_in] == [each[:2] for each in real]
    assert all(abs(one[2] - other[2]) <= PHASE_S for one, other in zip(built_in, real, strict=True))
    assert len(real) > 3
