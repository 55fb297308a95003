from __future__ import annotations

from random import Random

import pytest

from tests.controllers.clusterautoscaler.groups import a_group, a_template
from tests.support.objects import SPECS, pod_manifest
from wavetank.cluster.objects.kinds import parse_resource
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.store.store import Store
from wavetank.controllers.clusterautoscaler.options import Options
from wavetank.controllers.clusterautoscaler.order import RandomOrder
from wavetank.controllers.clusterautoscaler.report import LoopReport
from wavetank.controllers.clusterautoscaler.scaleup.expanders import PRIORITIES, ExpanderChain, ExpansionOption
from wavetank.kernel.clock import Clock


def pods(number: int) -> list[Pod]:
    return [Pod.parse(pod_manifest(f"p{i}", cpu="1", memory="2Gi"), SPECS) for i in range(number)]


# name: nodes, CPUs and GiB of each, pods, price
OPTIONS = {"small": (3, (4, 16), 10, 1.0), "large": (1, (16, 64), 12, 5.0), "few": (1, (4, 16), 2, 1.0)}


def best(expander: str, store: Store | None = None) -> str:
    options = [
        ExpansionOption(a_group(name, 0, 9, price), nodes, pods(count), a_template(name, cpu=cpu, memory=f"{memory}Gi"))
        for name, (nodes, (cpu, memory), count, price) in OPTIONS.items()
    ]
    chain = ExpanderChain(store or Store(Clock()), Options.from_flags({"expander": expander}), RandomOrder(Random(0)))
    return chain.best(options, LoopReport(0, "timer")).group.id


@pytest.mark.parametrize(
    ("expander", "expected"),
    [
        pytest.param("most-pods", "large", id="12 pods"),
        pytest.param("least-waste", "small", id="2/12 of the CPU and 28/48 of the memory are left over"),
        pytest.param("price", "small", id="0.3 per pod"),
        pytest.param("least-nodes,most-pods", "large", id="of two with one node the one with more pods"),
    ],
)
def test_an_expander_chooses(expander: str, expected: str) -> None:
    assert best(expander) == expected


@pytest.mark.parametrize(
    ("priorities", "expected"),
    [
        pytest.param("10:\n  - few\n5:\n  - .*\n", {"few"}, id="the highest priority"),
        pytest.param("10:\n  - none\n", {"small", "large", "few"}, id="no option is listed: all stay"),
        pytest.param("not a map", {"small", "large", "few"}, id="an invalid list: all stay"),
    ],
)
def test_priorities_are_read_from_the_config_map_at_every_use(priorities: str, expected: set[str]) -> None:
    store = Store(Clock())
    metadata = {"name": PRIORITIES, "namespace": "kube-system"}
    document = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"priorities": priorities}}
    store.create(parse_resource(document, store.specs))
    assert best("priority", store) in expected
