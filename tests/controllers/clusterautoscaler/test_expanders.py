from __future__ import annotations

from random import Random

import pytest

from tests.controllers.clusterautoscaler.groups import a_group, a_template
from tests.support.objects import SPECS, pod_manifest
from wavetank.cluster.objects.kinds import parse_resource
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.store.store import Store
from wavetank.controllers.clusterautoscaler.events import EventWriter
from wavetank.controllers.clusterautoscaler.options import Options
from wavetank.controllers.clusterautoscaler.order import RandomOrder
from wavetank.controllers.clusterautoscaler.report import LoopReport
from wavetank.controllers.clusterautoscaler.scaleup.expanders import ExpanderChain, ExpansionOption
from wavetank.controllers.clusterautoscaler.scaleup.priorities import PRIORITIES
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.storeclient import StoreClient
from wavetank.kernel.clock import Clock


def pods(number: int) -> list[Pod]:
    return [Pod.parse(pod_manifest(f"p{i}", cpu="1", memory="2Gi"), SPECS) for i in range(number)]


# name: nodes, CPUs and GiB of each, pods, price
OPTIONS = {"small": (3, (4, 16), 10, 1.0), "large": (1, (16, 64), 12, 5.0), "few": (1, (4, 16), 2, 1.0)}


class Choosing:
    """Chooses among OPTIONS; notes the reasons of Events."""

    def __init__(self, expander: str, seed: int = 0) -> None:
        self.store = Store(Clock())
        self.told: list[str] = []
        client = StoreClient(self.store, Random(0), lambda pod: None)
        settings = Options.from_flags({"expander": expander})
        events = EventWriter(ControllerContext(self.store, client, record_event=self._record), settings)
        self._chain = ExpanderChain(self.store, settings, RandomOrder(Random(seed)), events)

    def _record(self, about: Resource, type_: str, reason: str, message: str, component: str) -> None:
        self.told.append(reason)

    def prioritize(self, data: dict[str, str]) -> None:
        metadata = {"name": PRIORITIES, "namespace": "kube-system"}
        document = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}
        self.store.create(parse_resource(document, self.store.specs))

    def best(self) -> str:
        options = [
            ExpansionOption(
                a_group(name, 0, 9, price), nodes, pods(count), a_template(name, cpu=cpu, memory=f"{memory}Gi")
            )
            for name, (nodes, (cpu, memory), count, price) in OPTIONS.items()
        ]
        return self._chain.best(options, LoopReport(0, "timer")).group.id


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
    assert Choosing(expander).best() == expected


def test_the_random_expander_chooses_any_group() -> None:
    assert {Choosing("random", seed).best() for seed in range(30)} == set(OPTIONS)


def test_a_tie_that_the_list_leaves_is_broken_at_random() -> None:
    assert {Choosing("least-nodes", seed).best() for seed in range(30)} == {"large", "few"}


NOT_LISTED = ["PriorityConfigMapNotMatchedGroup"]


@pytest.mark.parametrize(
    ("data", "expected", "told"),
    [
        pytest.param({"priorities": "10:\n  - few\n5:\n  - .*\n"}, {"few"}, [], id="the highest priority"),
        pytest.param(
            {"priorities": "10:\n  - none\n"},
            set(OPTIONS),
            [*NOT_LISTED * 3, "PriorityConfigMapNoGroupMatched"],
            id="no option is listed: all stay",
        ),
        pytest.param({"priorities": "1:\n  - few\n  - large\n"}, {"few", "large"}, NOT_LISTED, id="one is not listed"),
        pytest.param({"priorities": "no map"}, set(OPTIONS), ["PriorityConfigMapInvalid"], id="not a list: all stay"),
        pytest.param(
            {"priorities": "1:\n  - '('\n"}, set(OPTIONS), ["PriorityConfigMapInvalid"], id="not a regular expression"
        ),
        pytest.param({}, set(OPTIONS), ["PriorityConfigMapInvalid"], id="no list"),
    ],
)
def test_priorities_are_read_from_the_config_map(data: dict[str, str], expected: set[str], told: list[str]) -> None:
    choosing = Choosing("priority")
    choosing.prioritize(data)
    assert choosing.best() in expected
    assert choosing.told == told


def test_without_the_config_map_all_groups_have_equal_priority() -> None:
    assert {Choosing("priority", seed).best() for seed in range(30)} == set(OPTIONS)
