from __future__ import annotations

from tests.support.objects import node_manifest, pod_manifest
from tests.verification.recordings import a_recording, created, failed
from wavetank.verification.decisions.state import State

EVICTING = {"nominated": "n0", "victims": ["default/e"], "deleted_victims": ["default/e"]}


def settled(attempt=EVICTING, **options):
    """The state after a pod of priority 10 was nominated for n0, for which one of priority 5 had been waiting."""
    steps = [
        created(pod_manifest("lower", priority=5), failed("lower", "", {}, nominated="n0")),
        created(pod_manifest("p", priority=10), failed("p", "", {}, **attempt)),
    ]
    recording = a_recording([node_manifest("n0")], *steps, existing=[pod_manifest("e", "n0")], options=options)
    state = State(recording)
    for step, result in zip(recording.steps, recording.results, strict=True):
        state.play(step, result)
        state.settle(result.attempts[0])
    return state


def test_victims_are_gone_and_the_preemptor_is_nominated():
    state = settled()
    assert state.table.placements == {}
    assert state.pod("default/p").nominated_node == "n0"


def test_victims_that_take_their_time_stay_and_are_terminating():
    placed = settled(terminating_victims=True).table.placements["default/e"]
    assert placed[0].deleted is not None


def test_lower_nominations_for_the_node_are_cleared_after_an_eviction():
    assert settled().pod("default/lower").nominated_node == ""
    assert settled({**EVICTING, "deleted_victims": []}).pod("default/lower").nominated_node == "n0"


def test_a_failure_without_a_nomination_ends_an_earlier_one():
    state = settled()
    recording = a_recording([], created(pod_manifest("p"), failed("p", "", {})))
    state.settle(recording.results[0].attempts[0])
    assert state.pod("default/p").nominated_node == ""


def test_bound_pods_start_when_the_recorder_said_so():
    recording = a_recording([node_manifest("n0")], created(pod_manifest("q", "n0"), start_time="2030-01-01T00:00:07Z"))
    state = State(recording)
    state.play(recording.steps[0], recording.results[0])
    state.close(recording.results[0])
    pod = state.table.placements["default/q"][0]
    assert (pod.phase, pod.started) == ("Running", 7_000_000_000)


def test_existing_pods_keep_their_status():
    existing = {**pod_manifest("e", "n0"), "_terminating": True, "status": {"startTime": "2030-01-01T00:00:01Z"}}
    pod = State(a_recording([node_manifest("n0")], existing=[existing])).table.placements["default/e"][0]
    assert (pod.deleted, pod.started) == (0, 1_000_000_000)
