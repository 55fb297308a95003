from __future__ import annotations

import pytest

from tests.explanation.clusters import BALANCED, FIT, explained
from tests.support.objects import a_taint, node_manifest, pod_manifest
from wavetank.errors import InputError

NODES = [
    node_manifest("n0"),
    node_manifest("n1"),
    node_manifest("n2"),
    node_manifest("tainted", taints=[a_taint("gpu")]),
]


def test_a_choice_settles_a_tie(tmp_path):
    first, second = explained(tmp_path, NODES, [pod_manifest("p"), pod_manifest("q")], choices={"default/p": "n2"})
    assert (first["candidates"], first["chosen"], first["diverged"]) == (["n0", "n1", "n2"], "n2", False)
    assert second["candidates"] == ["n0", "n1"]


def test_a_feasible_node_that_is_not_among_the_best_diverges_and_is_taken(tmp_path):
    cluster = [*NODES, pod_manifest("there", "n1")]
    first, second = explained(tmp_path, cluster, [pod_manifest("p"), pod_manifest("q")], choices={"default/p": "n1"})
    assert (first["outcome"], first["chosen"], first["diverged"]) == ("bound", "n1", True)
    assert first["candidates"] == ["n0", "n2"]
    assert second["totals"]["n1"] == 300 + FIT[3] + BALANCED[3]


def test_a_node_that_a_filter_refused_diverges_and_is_taken(tmp_path):
    tolerating = pod_manifest("q", tolerations=[{"operator": "Exists"}])
    first, second = explained(tmp_path, NODES, [pod_manifest("p"), tolerating], choices={"default/p": "tainted"})
    assert (first["outcome"], first["chosen"], first["diverged"]) == ("bound", "tainted", True)
    assert second["scores"]["NodeResourcesFit"] == {"n0": FIT[1], "n1": FIT[1], "n2": FIT[1], "tainted": FIT[2]}


def test_a_pod_that_found_no_node_diverges_and_takes_the_given_one(tmp_path):
    failed, after = explained(
        tmp_path, NODES, [pod_manifest("p", cpu="5"), pod_manifest("q", cpu="4")], choices={"default/p": "n1"}
    )
    assert (failed["outcome"], failed["chosen"], failed["diverged"]) == ("unschedulable", "n1", True)
    assert after["filtered"]["n1"] == {"plugin": "NodeResourcesFit", "reasons": ["Insufficient cpu"]}


def test_a_preemptors_choice_is_for_its_second_attempt(tmp_path):
    cluster = [node_manifest("n0"), pod_manifest("low", "n0", cpu="4")]
    pods = [pod_manifest("high", cpu="4", priority=9)]
    first, retry = explained(tmp_path, cluster, pods, choices={"default/high": "n0"})
    assert (first["outcome"], first["chosen"], first["diverged"]) == ("nominated", None, False)
    assert (retry["outcome"], retry["chosen"], retry["diverged"]) == ("bound", "n0", False)


def test_open_choices_and_those_of_other_pods_do_nothing(tmp_path):
    choices = {"default/p": None, "default/q": "", "default/other": "n1"}
    told = explained(tmp_path, NODES, [pod_manifest("p"), pod_manifest("q")], choices=choices)
    assert [pod["chosen"] for pod in told] == ["n0", "n1"]


@pytest.mark.parametrize(
    ("choices", "expected"),
    [
        pytest.param(["n0"], "expected a JSON map", id="a list"),
        pytest.param({"default/p": 3}, "expected a JSON map", id="a number for a node"),
        pytest.param({"p": "n0"}, "expected namespace/name, got 'p'", id="a name alone"),
        pytest.param({"default/p": "n9"}, "default/p: there is no node 'n9' in the cluster", id="an unknown node"),
    ],
)
def test_choices_that_cannot_be_used(tmp_path, choices, expected):
    with pytest.raises(InputError, match=expected):
        explained(tmp_path, NODES, [pod_manifest("p")], choices=choices)
