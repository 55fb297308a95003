"""OpportunisticBatching: a pod like the one before takes the next node of its list."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.clusters import CachedCluster
from tests.support.objects import a_node, a_pod
from wavetank.kernel.durations import SECOND
from wavetank.scheduling.framework.cycle.batching import MAX_AGE, Ranking

SPREAD_OFF = [{"name": "PodTopologySpread", "args": {"defaultingType": "List"}}]


class PodSeries:
    """Pods one after the other on three nodes that have room for one of them each."""

    def __init__(self, *, version=(1, 35), config=SPREAD_OFF, cpu="1"):
        profiles = [{"schedulerName": "default-scheduler", "pluginConfig": config}]
        self.cluster = CachedCluster(*(a_node(f"n{i}", cpu=cpu) for i in range(3)), version=version, profiles=profiles)
        self.number = 0

    def next(self, now=0, skip=0, **pod):
        self.number += 1 + skip
        if self.cluster.framework.batch is not None:
            self.cluster.framework.batch.begin(self.number, now)
        return self.cluster.schedule(a_pod(f"p{self.number}", **pod))


def test_a_pod_like_the_one_before_gets_the_next_node_of_its_list():
    series = PodSeries()
    assert series.next().hint == ""
    hinted = series.next()
    assert hinted.hint == hinted.node_name
    assert len(hinted.nodes) == 1
    assert series.next().hint not in ("", hinted.hint)


@pytest.mark.parametrize(
    ("series", "second"),
    [
        pytest.param({}, {"now": MAX_AGE + 1}, id="the list is too old"),
        pytest.param({}, {"skip": 1}, id="another pod came between"),
        pytest.param({}, {"cpu": "900m"}, id="it asks for something else"),
        pytest.param({}, {"labels": {"app": "b"}}, id="its labels differ"),
        pytest.param({}, {"tolerations": [{"operator": "Exists"}]}, id="it tolerates more"),
        pytest.param({"cpu": "2"}, {}, id="it fits beside the one before"),
        pytest.param({"version": (1, 34)}, {}, id="an older release"),
        pytest.param({"config": []}, {}, id="spread by default"),
    ],
)
def test_no_hint(series, second):
    series = PodSeries(**series)
    series.next()
    assert series.next(**second).hint == ""


def test_a_list_of_half_a_second_is_still_good():
    series = PodSeries()
    series.next()
    assert series.next(now=SECOND // 2).hint


@pytest.mark.parametrize(
    "spec",
    [
        {"topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"}]},
        {"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "h"}]}}},
    ],
)
def test_pods_that_look_at_other_pods_are_not_alike(spec):
    series = PodSeries()
    series.next(**spec)
    assert series.next(**spec).hint == ""


def test_a_hint_that_does_not_fit_is_dropped():
    series = PodSeries()
    series.next()
    taken = series.cluster.table
    for node in ("n0", "n1"):
        if not taken.pod_count[taken.slots[node]]:
            taken.add_pod(a_pod(f"on-{node}"), node)
    outcome = series.next()
    assert outcome.node_name == "n2"


@given(st.lists(st.integers(0, 3), min_size=1, max_size=12))
def test_a_ranking_gives_every_node_once_best_first(totals):
    nodes = [f"n{i}" for i in range(len(totals))]
    ranking = Ranking(nodes, totals, without="n0")
    popped = [ranking.pop() for _ in range(len(ranking))]
    assert sorted(popped) == sorted(nodes[1:])
    given_out = [totals[nodes.index(name)] for name in popped]
    assert given_out == sorted(given_out, reverse=True)
