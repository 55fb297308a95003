"""What a policy says of the way to its scores: TOPSIS prints the steps of figure 7 of the thesis."""

from __future__ import annotations

import numpy as np
import pytest

from tests.explanation.clusters import explained, table, wavetank, write
from tests.support.objects import node_manifest, pod_manifest

NODES = [node_manifest("n0", cpu="2", memory="4Gi"), node_manifest("n1", cpu="4", memory="3Gi")]
TOPSIS = "{policy: topsis, args: {criteria: [cores, free_memory], weights: [3, 1]}}"
TITLES = [
    "Decision matrix (↑ more is better, ↓ less)",
    "Weights",
    "Normalised matrix",
    "Weighted normalised matrix",
    "Ideals",
    "Distances and closeness",
]


def test_topsis_tells_its_steps_and_they_lead_to_the_scores(tmp_path):
    [told] = explained(tmp_path, NODES, [pod_manifest("p")], "--scheduler", TOPSIS)
    steps = {step["title"]: step for step in told["steps"]}
    assert list(steps) == TITLES
    matrix = np.array(list(steps[TITLES[0]]["rows"].values()))
    normalised = matrix / np.sqrt((matrix**2).sum(axis=0))
    weighted = normalised * [0.75, 0.25]
    assert np.allclose(list(steps["Weighted normalised matrix"]["rows"].values()), weighted)
    assert np.allclose(steps["Ideals"]["rows"]["best"], weighted.max(axis=0))
    for node, (best, worst, closeness) in steps["Distances and closeness"]["rows"].items():
        assert closeness == pytest.approx(worst / (best + worst))
        assert told["totals"][node] == closeness


def test_the_tables_show_them_before_the_scores(tmp_path):
    shown = table(tmp_path, NODES, [pod_manifest("p")], "--scheduler", TOPSIS)
    places = [shown.index(f"step {i}: {title}") for i, title in enumerate(TITLES, 1)]
    assert places == sorted(places)
    assert "cores ↑" in shown
    assert "free_memory [GiB] ↑" in shown


def test_kube_scheduler_has_no_steps(tmp_path):
    [told] = explained(tmp_path, NODES, [pod_manifest("p")])
    assert told["steps"] == []


def test_a_scheduler_takes_pods_of_any_scheduler_name(tmp_path):
    [told] = explained(tmp_path, NODES, [pod_manifest("p", schedulerName="mine")], "--scheduler", "topsis")
    assert told["outcome"] == "bound"


@pytest.mark.parametrize(
    ("scheduler", "message"),
    [
        pytest.param("topsi", "there is no scheduler called 'topsi' (did you mean topsis?)", id="an unknown name"),
        pytest.param("{policy: topsis, args: {criteria: [x]}}", "there is no criterion 'x'", id="bad arguments"),
        pytest.param("{policy: ", "not valid YAML", id="no YAML"),
        pytest.param("GANG_LRP", "only kube-scheduler and policies can be explained", id="Volcano"),
    ],
)
def test_what_cannot_be_explained_is_refused(tmp_path, scheduler, message):
    cluster = write(tmp_path / "cluster.json", *NODES, pod_manifest("p"))
    done = wavetank("explain", "--cluster", cluster, "--scheduler", scheduler)
    assert done.status == 2
    assert done.stderr.startswith("--scheduler: ")
    assert message in done.stderr
