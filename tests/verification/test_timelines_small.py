from __future__ import annotations

import json

import pytest

from tests.support.objects import node_manifest, pod_manifest
from tests.verification.recordings import a_document, created, scored, write
from wavetank.cli.main import main
from wavetank.verification import follow, read_timeline, verify

SECOND = 10**9


def a_timeline(*attempts, binds, repeatable=True, **outputs):
    """One node with room for one pod; p comes after 1 s, q after 2 s, and p ends after 5 s."""
    small = node_manifest("n0")
    small["status"]["allocatable"]["cpu"] = "1"
    return {
        "family": "small",
        "name": "small-000",
        "kube_scheduler": "v1.35.8",
        "config": {},
        "feature_gates": {},
        "timers": {"process_start_ns": -10 * SECOND, "queue_start_ns": -9_900_000_000},
        "inputs": {
            "init": [[-8 * SECOND, "node.create", {"object": {"kind": "Node", "apiVersion": "v1", **small}}]],
            "events": [created_at(1, "p", {"duration_ns": 4 * SECOND, "end": "delete"}), created_at(2, "q", {})],
            "options": {},
        },
        "outputs": {
            "attempts": list(attempts),
            "messages": [FULL],
            "binds": binds,
            "end_ns": 9 * SECOND,
            "moves": [],
            "skips": [],
            "inflight_events": [],
            **outputs,
        },
        "check": {"timeline_seed_independent": repeatable},
    }


def created_at(second, name, plan):
    pod = {"kind": "Pod", "apiVersion": "v1", **pod_manifest(name)}
    pod["metadata"]["uid"] = f"uid-{name}"
    return [second * SECOND, "pod.create", {"object": pod, "plan": plan}]


FULL = (
    "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, "
    "preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod."
)
BOUND = {"t": SECOND, "pod": "default/p", "result": "bound", "node": "n0"}
FAILED = {
    "t": 2 * SECOND,
    "pod": "default/q",
    "result": "unschedulable",
    "msg": 0,
    "to": "Unschedulable",
    "plugins": ["NodeResourcesFit"],
}
RETRIED = {"t": 5 * SECOND, "pod": "default/q", "result": "bound", "node": "n0"}
BINDS = [[SECOND, "default/p", "n0"], [5 * SECOND, "default/q", "n0"]]


def followed(document, tmp_path):
    path = write(document, tmp_path)
    return follow(read_timeline(path), path.name)


def test_a_pod_waits_until_another_has_gone(tmp_path):
    agreement, mismatches = followed(a_timeline(BOUND, FAILED, RETRIED, binds=BINDS), tmp_path)
    assert mismatches == []
    assert (agreement.attempts.equal, agreement.aspects["binds"].equal) == (3, 2)


def test_only_the_first_attempt_that_differs_is_told(tmp_path):
    early = {**RETRIED, "t": 4 * SECOND, "node": "n1"}
    agreement, mismatches = followed(a_timeline(BOUND, FAILED, early, {**early, "pod": "x"}, binds=BINDS), tmp_path)
    assert [(item.step, item.aspect, item.expected, item.got) for item in mismatches] == [
        (2, "time", 4 * SECOND, 5 * SECOND),
        (2, "node", "n1", "n0"),
    ]
    assert (agreement.attempts.equal, agreement.attempts.compared) == (2, 4)


def test_where_chance_decides_the_recorded_result_is_taken_and_the_queue_compared(tmp_path):
    moves = [
        [SECOND, 0, "default/p", "UnschedulablePodAdd", "Active"],
        [2 * SECOND, 1, "default/q", "UnschedulablePodAdd", "Active"],
        [5 * SECOND, 2, "default/q", "AssignedPodDelete", "Active"],
    ]
    elsewhere = {**RETRIED, "node": "n1"}
    binds = [BINDS[0], [5 * SECOND, "default/q", "n1"]]
    document = a_timeline(BOUND, FAILED, elsewhere, binds=binds, repeatable=False, moves=moves)
    agreement, mismatches = followed(document, tmp_path)
    assert mismatches == []
    assert agreement.aspects["moves"].equal == 3
    assert followed({**document, "check": {"timeline_seed_independent": True}}, tmp_path)[1] != []


@pytest.mark.parametrize(
    ("attempts", "step"),
    [
        pytest.param([BOUND, {**RETRIED, "t": 2 * SECOND, "pod": "default/r"}], 1, id="another pod"),
        pytest.param([BOUND, FAILED, {**RETRIED, "t": 6 * SECOND}], 2, id="another time"),
    ],
)
def test_a_forced_run_ends_where_the_queue_chooses_otherwise(attempts, step, tmp_path):
    _, mismatches = followed(a_timeline(*attempts, binds=[], repeatable=False), tmp_path)
    assert {item.step for item in mismatches} == {step}


def test_a_folder_may_hold_both_kinds(tmp_path):
    cycles = a_document(
        [node_manifest("n0"), node_manifest("n1")], created(pod_manifest("p"), scored("p", {"n1": 1, "n0": 1}, "n1"))
    )
    files = [write(cycles, tmp_path), write(a_timeline(BOUND, FAILED, RETRIED, binds=BINDS), tmp_path, "t-0.json.gz")]
    verification = verify(files, most=10)
    assert (list(verification.families), list(verification.timelines)) == (["small"], ["small"])
    assert verification.total.files.equal == 2


@pytest.fixture
def run(capsys, monkeypatch):
    """Runs the command in this process; returns its exit status and what it wrote."""

    def ended(*args):
        monkeypatch.setattr("sys.argv", ["wavetank", "verify", *map(str, args)])
        with pytest.raises(SystemExit) as end:
            main()
        return end.value.code or 0, *capsys.readouterr()

    return ended


def test_a_broken_timeline_is_reported(run, tmp_path):
    document = a_timeline(binds=[])
    del document["timers"]
    path = write(document, tmp_path)
    expected = f"{path}: not a recorded timeline: Object missing required field `timers`\n"
    assert run(path) == (2, "", expected)


def test_timelines_have_figures_of_their_own(run, tmp_path):
    write(a_timeline(BOUND, FAILED, RETRIED, binds=BINDS), tmp_path)
    status, out, _ = run(tmp_path, "--json")
    document = json.loads(out)
    assert (status, document["families"]) == (0, {})
    assert document["timelines"]["small"]["aspects"]["message"] == {"equal": 3, "compared": 3}
    assert "Agreement in time per family" in run(tmp_path)[1]
