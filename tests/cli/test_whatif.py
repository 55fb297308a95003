"""`wavetank snapshot`, `whatif` and `capacity` as a user meets them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.commands import Wavetank, refused
from tests.planning.shop import SHOP


def test_the_order_of_the_flags_is_the_order_of_the_changes(wavetank: Wavetank) -> None:
    ended = wavetank("whatif", SHOP, "--cordon", "a-0", "--drain", "b-0", "--cordon", "c-0", "--json")
    assert ended.status == 0
    steps = [step["change"] for step in json.loads(ended.out)["steps"]]
    assert steps == ["cordon a-0", "drain b-0", "cordon c-0"]


def test_an_assertion_that_does_not_hold_is_an_exit_status(wavetank: Wavetank) -> None:
    ended = wavetank("whatif", SHOP, "--drain", "b-0", "--assert", "pending == 0")
    assert ended.status == 1
    assert "does not hold: pending == 0 (1 == 0)" in ended.out
    assert max(len(line) for line in ended.out.splitlines() if not line.startswith("pending")) <= 80


def test_changes_may_be_a_document(wavetank: Wavetank, here: Path) -> None:
    (here / "node.yaml").write_text(json.dumps(NODE))
    (here / "c.yaml").write_text("changes: [{add: 2xnode.yaml}, {drain: [a-0, a-1]}, reschedule]\nassert: [nodes == 8]")
    ended = wavetank("whatif", SHOP, "--changes", "c.yaml")
    assert ended.status == 0
    assert "holds: nodes == 8 (8 == 8)" in ended.out


NODE = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "big"},
    "status": {"allocatable": {"cpu": "16", "memory": "64Gi", "pods": "110"}},
}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nope.yaml"], "nope.yaml: no such file"),
        ([SHOP, "--drain", "x"], "drain x: no node has the name 'x'"),
        ([SHOP, "--add", "3x"], "add 3x: no node has the name '3x'"),
        ([SHOP, "--scale", "web=1"], "--scale: expected deploy/NAME=REPLICAS"),
        ([SHOP, "--upgrade", "all"], "--upgrade: expected surge=1"),
        ([SHOP, "--scheduler", "nope"], "scheduler: "),
        ([SHOP, "--latency", "slow"], "unknown latency preset 'slow'"),
        ([SHOP, "--assert", "pods == 1"], "--assert: there is no metric 'pods'"),
        ([SHOP, "--changes", "nope.yaml"], "nope.yaml: no such file"),
        ([SHOP, "--html", "no/folder/a.html"], "no/folder/a.html: cannot be written"),
    ],
)
def test_bad_input_is_refused_in_one_line(wavetank: Wavetank, here: Path, words: list[str], message: str) -> None:
    assert message in refused(wavetank, here, "whatif", *words)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "c.yaml: expected one mapping with changes"),
        ("{change: []}", "c.yaml: unknown field 'change'"),
        ("{changes: {drain: a-0}}", "c.yaml: changes: expected a list of changes"),
        ("{changes: [{drain: 3}]}", "c.yaml: changes[0].drain: expected a text, got 3"),
        ("{changes: [], assert: x}", "c.yaml: assert: expected a list of assertions"),
    ],
)
def test_a_bad_document_is_refused(wavetank: Wavetank, here: Path, text: str, message: str) -> None:
    (here / "c.yaml").write_text(text)
    assert message in refused(wavetank, here, "whatif", SHOP, "--changes", "c.yaml")


def test_a_dump_becomes_a_snapshot(wavetank: Wavetank, here: Path) -> None:
    ended = wavetank("snapshot", SHOP, "-o", "s.yaml.gz")
    assert (ended.status, ended.out) == (0, "s.yaml.gz: 6 nodes, 1 pod, 4 controllers\n")
    assert wavetank("whatif", "s.yaml.gz", "--drain", "a-0").status == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nope.yaml", "-o", "s.yaml"], "nope.yaml: no such file"),
        ([SHOP, "--kubeconfig", "x", "-o", "s.yaml"], "give either DUMPS or --kubeconfig"),
        (["--kubeconfig", "nope", "-o", "s.yaml"], "nope: no such file"),
        ([SHOP, "-o", "no/folder/s.yaml"], "no/folder/s.yaml: cannot be written"),
    ],
)
def test_a_snapshot_that_cannot_be_taken_is_refused(
    wavetank: Wavetank, here: Path, words: list[str], message: str
) -> None:
    assert message in refused(wavetank, here, "snapshot", *words)


def test_a_cluster_that_fits_on_no_number_of_nodes_is_an_exit_status(wavetank: Wavetank) -> None:
    ended = wavetank("capacity", SHOP, "--node", "cpu=500m,memory=1Gi")
    assert ended.status == 1
    assert "no number of these nodes is enough" in ended.out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "give either SNAPSHOT or --workload"),
        ([SHOP, "--workload", "x"], "give either SNAPSHOT or --workload"),
        (["nope.yaml"], "nope.yaml: no such file"),
        ([SHOP, "--node", "cpu=1"], "expected cpu and memory"),
        ([SHOP, "--node", "cpu=0,memory=1Gi"], "cpu: expected an amount above 0"),
        ([SHOP, "--node", "cpu=1,memory=1Gi,price=-1"], "price: expected a price per hour"),
        ([SHOP, "--scheduler", "nope"], "scheduler: "),
    ],
)
def test_a_bad_question_about_capacity_is_refused(
    wavetank: Wavetank, here: Path, words: list[str], message: str
) -> None:
    assert message in refused(wavetank, here, "capacity", *words)


def test_nodes_that_are_too_small_for_a_daemon_pod_end_the_search_of_capacity(wavetank: Wavetank) -> None:
    ended = wavetank("capacity", SHOP, "--node", "cpu=90m,memory=16Gi")
    assert ended.status == 1
    assert "no number of these nodes is enough" in ended.out
