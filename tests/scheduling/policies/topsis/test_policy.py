"""TOPSIS as a scheduler: what it ranks by, what it drops, and what it refuses."""

import pytest

from tests.scheduling.policies.choices import chosen
from tests.support.clusters import CachedCluster
from tests.support.objects import a_node
from wavetank.errors import InputError, SchedulerError
from wavetank.scheduling.named import find_scheduler
from wavetank.scheduling.views import NodesView

FREQUENCY = "wavetank.dev/cpu-frequency"


def three(*loads, **more):
    """Three equal nodes, of whose memory other programs use so many percent."""
    return [
        {"name": f"kclient-{i}", "cpu": 2, "memory": "4Gi", "load": {"memory": f"{load}%"} if load else {}, **more}
        for i, load in enumerate(loads, 1)
    ]


@pytest.mark.parametrize(
    ("loads", "expected"),
    [((0, 0, 70), 1), ((70, 0, 70), 2), ((70, 50, 70), 2), ((70, 70, 0), 3)],
)
def test_the_first_table_of_the_thesis(loads, expected):
    """Equal nodes under stress-ng: the least loaded is taken, the first of several."""
    assert chosen("topsis", three(*loads), pods=1) == [f"kclient-{expected}"]


def test_load_is_no_request():
    assert chosen("topsis", three(100, 100, 100), pods=6) != [""] * 6


# cores, memory in GiB, disk in GiB, frequency: as in the second scenario of the thesis
NODES = [
    {"name": name, "cpu": cpu, "memory": memory, "resources": {"ephemeral-storage": disk}, "labels": {FREQUENCY: ghz}}
    for name, cpu, memory, disk, ghz in (
        ("one", 2, "1536Mi", "35Gi", "1.8"),
        ("two", 1, "1536Mi", "30Gi", "1.7"),
        ("three", 1, "3Gi", "30Gi", "1.8"),
    )
]


@pytest.mark.parametrize(
    ("criteria", "weights", "more", "expected"),
    [
        (["cores", "memory"], [1, 0], {}, "one"),
        (["cores", "memory"], [0, 1], {}, "three"),
        (["cores", "memory"], [0, 1], {"costs": ["memory"]}, "one"),  # one and two alike: the first
        (["disk"], [1], {"costs": ["disk"]}, "two"),
        (["frequency"], [1], {"costs": ["frequency"]}, "two"),
        ([f"label:{FREQUENCY}"], [3.5], {}, "one"),
        (["allocatable:ephemeral-storage"], None, {}, "one"),
        (["utilisation:cpu"], None, {"benefits": ["utilisation:cpu"]}, "one"),
        (["cores"], None, {"conditions": [{"criterion": "memory", "at_least": "2Gi"}]}, "three"),
        (["cores"], None, {"conditions": [{"criterion": "frequency", "at_most": 1.75}]}, "two"),
    ],
)
def test_criteria_weights_directions_and_conditions(criteria, weights, more, expected):
    args = {"criteria": criteria, **({"weights": weights} if weights else {}), **more}
    assert chosen("topsis", NODES, pods=1, args=args) == [expected]


def test_it_ranks_anew_after_each_pod():
    assert sorted(chosen("topsis", three(0, 0, 0), pods=3, every=0)) == ["kclient-1", "kclient-2", "kclient-3"]


def test_compat_seed_sends_all_pending_pods_to_one_node_as_long_as_they_fit():
    nodes = chosen("topsis", three(0, 0, 0), pods=2, every=0, args={"compat": "seed"})
    assert len(set(nodes)) == 1
    later = chosen("topsis", three(0, 0, 0), pods=3, every=1, args={"compat": "seed"})
    assert len(set(later)) == 3


def test_a_node_without_a_value_is_as_bad_as_the_worst():
    nodes = [
        {"name": "a", "cpu": 2, "memory": "1Gi"},
        {"name": "b", "cpu": 2, "memory": "1Gi", "labels": {FREQUENCY: "1"}},
        {"name": "c", "cpu": 2, "memory": "1Gi", "labels": {FREQUENCY: "2"}},
    ]
    assert chosen("topsis", nodes, pods=1, args={"criteria": ["frequency"]}) == ["c"]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (
            {"weights": [1, 2]},
            "args.weights: expected one weight for each of cores, cpu_utilisation, free_memory, got [1",
        ),
        ({"weights": [1, -2, 1]}, "args.weights[1]: expected a number of 0 or more, got -2"),
        ({"weights": [0, 0, 0]}, "args.weights: expected at least one weight above 0"),
        ({"criteria": ["speed"]}, "args.criteria: there is no criterion 'speed': known are cores, free_cores"),
        ({"criteria": []}, "args.criteria: there is no criterion to rank by"),
        ({"criteria": "cores"}, "args.criteria: expected a list of criteria, got 'cores'"),
        ({"costs": ["disk"]}, "args.costs: 'disk' is not among the criteria"),
        ({"conditions": [{"criterion": "cores", "above": 1}]}, "args.conditions[0]: expected {criterion, at_least"),
        ({"conditions": [{"criterion": "cores", "at_least": "x"}]}, "args.conditions[0].at_least: "),
        ({"compat": "sed"}, "args.compat: expected seed, got 'sed'"),
    ],
)
def test_wrong_arguments_are_refused_before_a_run(args, message):
    with pytest.raises(InputError) as refused:
        find_scheduler("topsis", (1, 35), args=args)
    assert str(refused.value).startswith(message)


def test_a_criterion_that_no_node_has_ends_the_run_with_the_policy_and_the_pod():
    with pytest.raises(SchedulerError) as failed:
        chosen("topsis", three(0, 0, 0), pods=1, args={"criteria": ["frequency"]})
    assert str(failed.value).startswith("policy tried failed on pod default/")
    assert str(failed.value).endswith(f"no node has the label {FREQUENCY}, which the criterion frequency needs")


def test_a_label_stays_known_when_the_last_node_that_had_it_is_gone():
    node = a_node("a", labels={FREQUENCY: "1"})
    table = CachedCluster(node, a_node("b")).table
    assert NodesView(table, table.order).any_has(label=FREQUENCY)
    table.remove_node(node)
    assert NodesView(table, table.order).any_has(label=FREQUENCY)


def by_network(name, **annotations):
    given = {f"wavetank.dev/{key}": value for key, value in annotations.items()}
    return {"name": name, "cpu": 2, "memory": "4Gi", "annotations": given}


@pytest.mark.parametrize(
    ("criteria", "expected"),
    [
        pytest.param(["latency"], "near", id="less latency is better, ms and s compared"),
        pytest.param(["bandwidth"], "wide", id="more bandwidth is better, Mi and Gi compared"),
        pytest.param(["annotation:wavetank.dev/disks"], "near", id="any annotation that is a number"),
    ],
)
def test_the_network_is_read_from_annotations(criteria, expected):
    nodes = [
        by_network("far", latency="1s", bandwidth="100Mi", disks="1"),
        by_network("near", latency="900ms", bandwidth="100Mi", disks="2"),
        by_network("wide", latency="2s", bandwidth="1Gi", disks="unknown"),
    ]
    assert chosen("topsis", nodes, pods=1, args={"criteria": criteria}) == [expected]


def test_an_annotation_that_no_node_has_ends_the_run():
    with pytest.raises(SchedulerError) as failed:
        chosen("topsis", three(0, 0, 0), pods=1, args={"criteria": ["latency"]})
    assert "no node has the annotation wavetank.dev/latency, which the criterion latency needs" in str(failed.value)
