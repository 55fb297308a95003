from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.explanation.clusters import explained, table, wavetank, write
from tests.support.objects import a_taint, node_manifest, pod_manifest

CAPTURED = {"capture_output": True, "text": True, "check": False}
FIELDS = {
    "pod": str,
    "attempt": int,
    "time_s": type(None),
    "outcome": str,
    "nodes": int,
    "evaluated": int,
    "feasible_count": int,
    "feasible": list,
    "filtered": dict,
    "refusals": list,
    "rejected": type(None),
    "scores": dict,
    "totals": dict,
    "steps": list,
    "candidate_count": int,
    "candidates": list,
    "chosen": str,
    "diverged": bool,
    "message": type(None),
    "nominated": type(None),
    "victims": list,
}


def test_the_fields_of_an_attempt_and_their_order(tmp_path):
    [told] = explained(tmp_path, [node_manifest("n0"), node_manifest("n1")], [pod_manifest("p")])
    assert {field: type(value) for field, value in told.items()} == FIELDS
    assert list(told) == list(FIELDS)


def test_the_documentation_names_every_field(pytestconfig):
    text = (pytestconfig.rootpath / "docs" / "explain.md").read_text()
    assert [field for field in FIELDS if f"`{field}`" not in text] == []


def test_the_table_of_a_small_cluster(tmp_path):
    cluster = [
        node_manifest("n0"),
        node_manifest("n1"),
        node_manifest("n2", taints=[a_taint("gpu")]),
        pod_manifest("there", "n1"),
    ]
    printed = table(tmp_path, cluster, [pod_manifest("p")])
    assert "default/p: bound to n0\n  3 nodes: 2 feasible, 1 filtered out\n" in printed
    rows = [line.split() for line in printed.splitlines()]
    assert ["n0", "*", "300", "81", "0", "93", "0", "474"] in rows
    assert ["n1", "300", "62", "0", "87", "0", "449"] in rows
    assert ["TaintToleration", "node(s)", "had", "untolerated", "taint(s)", "1", "n2"] in rows


@pytest.mark.parametrize("scheduler", ["default", "topsis"])
def test_one_node_is_not_counted_as_many(tmp_path, scheduler):
    printed = table(tmp_path, [node_manifest("n0")], [pod_manifest("p")], "--scheduler", scheduler)
    assert "  1 node: 1 feasible, 0 filtered out\n" in printed


def test_ties_and_failures_in_tables(tmp_path):
    pods = [pod_manifest("p"), pod_manifest("big", cpu="5"), pod_manifest("gated", schedulingGates=[{"name": "g"}])]
    printed = table(tmp_path, [node_manifest("n0"), node_manifest("n1")], pods)
    assert "2 nodes tie: n0, n1" in printed
    assert "default/big: unschedulable\n" in printed
    assert "  message: 0/2 nodes are available: 2 Insufficient cpu. no new claims" in printed
    assert "default/gated: not tried: it has scheduling gates\n" in printed


def test_a_divergence_in_tables(tmp_path):
    choices = tmp_path / "choices.json"
    choices.write_text('{"default/p": "n1"}')
    printed = table(
        tmp_path,
        [node_manifest("n0"), node_manifest("n1", taints=[a_taint("x")])],
        [pod_manifest("p")],
        "--choices",
        choices,
    )
    assert "default/p: bound to n1, diverged: given n1, not among n0\n" in printed


def test_five_hundred_nodes_fit_on_a_screen(tmp_path):
    nodes = [node_manifest(f"n{i:03}", taints=[a_taint("gpu")] if i % 5 == 0 else None) for i in range(500)]
    config = write_config(tmp_path, percentageOfNodesToScore=100)
    printed = table(tmp_path, nodes, [pod_manifest("p")], "--config", config)
    assert len(printed.splitlines()) < 35
    assert "500 nodes: 400 feasible, 100 filtered out" in printed
    assert "n000, n005, n010, n015, n020 and 95 more" in printed
    assert "390 more feasible nodes, the lowest total is 474" in printed
    assert "400 nodes tie: n001, n002, n003, n004, n006 and 395 more" in printed
    assert len(table(tmp_path, nodes, [pod_manifest("p")], "--config", config, "--most", 400).splitlines()) > 400


def test_pending_pods_of_the_cluster_are_explained_without_pods(tmp_path):
    path = write(
        tmp_path / "snapshot.json", node_manifest("n0"), pod_manifest("bound", "n0"), pod_manifest("waiting", cpu="9")
    )
    done = wavetank("explain", "--cluster", path, "-o", "json")
    assert [told["pod"] for told in json.loads(done.stdout)["pods"]] == ["default/waiting"]


def test_the_same_question_has_the_same_answer(tmp_path):
    cluster = write(tmp_path / "c.json", *(node_manifest(f"n{i}") for i in range(7)), pod_manifest("there", "n1"))
    pods = write(tmp_path / "p.json", *(pod_manifest(f"p{i}") for i in range(9)))
    args = ("explain", "--cluster", cluster, "--pods", pods, "-o", "json")
    first, second = (
        subprocess.run([sys.executable, "-m", "wavetank", *map(str, args)], env={"PYTHONHASHSEED": seed}, **CAPTURED)
        for seed in ("1", "2")
    )
    assert (first.returncode, first.stdout) == (0, second.stdout)


def write_config(folder, **fields):
    head = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
    path = folder / "config.json"
    path.write_text(json.dumps({**head, **fields}))
    return path
