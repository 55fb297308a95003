"""The events of the protocol, one after the other."""

import json

import pytest

from tests.batsim.scripted import machines, simulate, start_at_once, workload
from wavetank.batsim.outputs.recorder import Recorder
from wavetank.batsim.platform.platform import Platform
from wavetank.batsim.protocol import ProtocolError
from wavetank.batsim.server.server import Server
from wavetank.kernel.durations import SECOND
from wavetank.workloads.formats.batsim.events import ExternalEvent


def nothing(now, kind, data):
    return []


def test_the_first_message_is_simulation_begins_alone():
    _, scheduler = simulate(start_at_once)
    _, data = scheduler.of("SIMULATION_BEGINS")[0]
    assert scheduler.heard[0][0] == 0
    assert (data["nb_resources"], data["nb_compute_resources"], data["nb_storage_resources"]) == (4, 4, 0)
    assert data["allow_compute_sharing"] is False
    assert data["compute_resources"][1] == {
        "id": 1,
        "name": "m1",
        "state": "idle",
        "properties": {},
        "zone_properties": {},
    }
    assert data["workloads"] == {"w0": "w.json"}
    assert data["profiles"]["w0"]["d"] == {"type": "delay", "delay": 10}
    assert data["config"]["redis-enabled"] is False


def test_a_jobs_life():
    server, scheduler = simulate(start_at_once, [{"id": 7, "subtime": 3, "user": "ann"}])
    assert scheduler.kinds() == ["SIMULATION_BEGINS", "JOB_SUBMITTED", "NOTIFY", "JOB_COMPLETED", "SIMULATION_ENDS"]
    job = {"id": "w0!7", "subtime": 3, "res": 1, "profile": "d", "user": "ann"}
    assert scheduler.of("JOB_SUBMITTED") == [(3, {"job_id": "w0!7", "job": job})]
    assert scheduler.of("NOTIFY") == [(3, {"type": "no_more_static_job_to_submit"})]
    ended = {"job_id": "w0!7", "job_state": "COMPLETED_SUCCESSFULLY", "return_code": 0, "alloc": "0"}
    assert scheduler.of("JOB_COMPLETED") == [(13, ended)]
    assert scheduler.of("SIMULATION_ENDS") == [(13, {})]
    assert server.clock.now == 13 * SECOND


def test_profiles_come_with_submissions_if_asked_for():
    _, scheduler = simulate(start_at_once, forward_profiles=True)
    assert scheduler.of("JOB_SUBMITTED")[0][1]["profile"] == {"type": "delay", "delay": 10}


def test_a_scheduler_is_called_when_it_asked_for_it_and_the_end_waits_for_that():
    def decide(now, kind, data):
        later = [("CALL_ME_LATER", {"timestamp": 42.5})] if kind == "SIMULATION_BEGINS" else []
        return [*later, *start_at_once(now, kind, data)]

    _, scheduler = simulate(decide)
    assert scheduler.of("REQUESTED_CALL") == [(42.5, {})]
    assert scheduler.of("SIMULATION_ENDS") == [(42.5, {})]


def test_what_a_scheduler_decides_later_happens_later_and_it_hears_nothing_meanwhile():
    class Slow:
        endpoint = "tcp://slow:1"

        def __init__(self):
            self.messages = []

        def exchange(self, message):
            said = json.loads(message)
            self.messages.append((said["now"], [event["type"] for event in said["events"]]))
            events = [
                {"timestamp": said["now"] + 2, "type": kind, "data": data}
                for event in said["events"]
                for kind, data in start_at_once(said["now"], event["type"], event["data"])
            ]
            return json.dumps({"now": said["now"] + 5, "events": events}).encode()

    scheduler, platform = Slow(), Platform(machines())
    server = Server(platform, [workload([{"id": "1"}])], scheduler, Recorder(platform))
    server.run()
    assert scheduler.messages == [
        (0, ["SIMULATION_BEGINS"]),
        (5, ["JOB_SUBMITTED", "NOTIFY"]),
        (17, ["JOB_COMPLETED", "SIMULATION_ENDS"]),
    ]
    assert server.recorder.jobs[0].started == 7 * SECOND


def test_rejected_jobs_are_finished():
    def decide(now, kind, data):
        return [("REJECT_JOB", {"job_id": data["job_id"]})] if kind == "JOB_SUBMITTED" else []

    server, scheduler = simulate(decide)
    assert scheduler.kinds()[-1] == "SIMULATION_ENDS"
    assert str(server.recorder.jobs[0].state) == "REJECTED"


@pytest.mark.parametrize(
    ("profile", "progress"),
    [
        pytest.param({"type": "delay", "delay": 10}, {"profile_name": "p", "progress": 0.4}, id="a delay"),
        pytest.param(
            {"type": "parallel_homogeneous", "cpu": 8e6, "com": 0},
            {"profile_name": "p", "progress": 0.5},
            id="computation",
        ),
        pytest.param(
            {"type": "composed", "repeat": 3, "seq": ["d3", "d3"]},
            {
                "profile_name": "p",
                "current_task_index": 1,
                "current_task": {"profile_name": "d3", "progress": pytest.approx(1 / 3)},
            },
            id="the second part of a composed profile",
        ),
    ],
)
def test_killed_jobs_tell_how_far_they_were(profile, progress):
    def decide(now, kind, data):
        if kind == "REQUESTED_CALL":
            return [("KILL_JOB", {"job_ids": ["w0!1"]})]
        later = [("CALL_ME_LATER", {"timestamp": 4})] if kind == "JOB_SUBMITTED" else []
        return [*start_at_once(now, kind, data), *later]

    profiles = {"p": profile, "d3": {"type": "delay", "delay": 3}}
    _, scheduler = simulate(decide, [{"id": "1", "profile": "p"}], profiles=profiles)
    assert scheduler.of("JOB_KILLED") == [(4, {"job_ids": ["w0!1"], "job_progress": {"w0!1": progress}})]
    assert scheduler.of("JOB_COMPLETED")[0][1]["job_state"] == "COMPLETED_KILLED"
    assert scheduler.kinds().index("JOB_COMPLETED") < scheduler.kinds().index("JOB_KILLED")


def test_jobs_and_profiles_can_be_registered():
    def decide(now, kind, data):
        if kind == "SIMULATION_BEGINS":
            profile = {"workload_name": "dyn", "profile_name": "p", "profile": {"type": "delay", "delay": 4}}
            job = {"job_id": "dyn!a", "job": {"id": "dyn!a", "res": 1, "profile": "p"}}
            finished = ("NOTIFY", {"type": "registration_finished"})
            return [("REGISTER_PROFILE", profile), ("REGISTER_JOB", job), finished]
        return start_at_once(now, kind, data)

    _, scheduler = simulate(decide, [{"id": "1", "subtime": 20}], dynamic_jobs=True, acknowledge_dynamic_jobs=True)
    assert [data["job_id"] for _, data in scheduler.of("JOB_SUBMITTED")] == ["dyn!a", "w0!1"]
    assert scheduler.of("JOB_COMPLETED")[0][0] == 4


def test_without_acknowledgement_a_scheduler_starts_registered_jobs_by_itself():
    def decide(now, kind, data):
        if kind == "SIMULATION_BEGINS":
            job = {"job_id": "w0!x", "job": {"res": 1, "profile": "d"}}
            return [("REGISTER_JOB", job), ("EXECUTE_JOB", {"job_id": "w0!x", "alloc": "3"})]
        if kind == "JOB_COMPLETED" and data["job_id"] == "w0!1":
            return [("NOTIFY", {"type": "registration_finished"})]
        return start_at_once(now, kind, data)

    _, scheduler = simulate(decide, [{"id": "1", "subtime": 20}], dynamic_jobs=True)
    assert [data["job_id"] for _, data in scheduler.of("JOB_SUBMITTED")] == ["w0!1"]
    assert [data["alloc"] for _, data in scheduler.of("JOB_COMPLETED")] == ["3", "0"]


def test_external_events_are_told():
    away = ExternalEvent(2 * SECOND, "machine_unavailable", {"type": "machine_unavailable", "resources": "0-1"})
    other = ExternalEvent(3 * SECOND, "alarm", {"type": "alarm", "level": 3})
    _, scheduler = simulate(start_at_once, events=[away, other], forward_unknown_events=True)
    notes = [data for _, data in scheduler.of("NOTIFY")]
    assert {"type": "event_machine_unavailable", "resources": "0-1"} in notes
    assert {"type": "alarm", "level": 3} in notes
    assert notes[-1] == {"type": "no_more_external_event_to_occur"}


def test_metadata_and_states_of_jobs_that_the_scheduler_runs_itself():
    def decide(now, kind, data):
        if kind == "JOB_SUBMITTED":
            state = {"job_id": data["job_id"], "job_state": "RUNNING", "kill_reason": ""}
            metadata = {"job_id": data["job_id"], "metadata": "moved, by hand"}
            later = ("CALL_ME_LATER", {"timestamp": 6})
            return [("CHANGE_JOB_STATE", state), ("SET_JOB_METADATA", metadata), later]
        if kind == "REQUESTED_CALL":
            return [("CHANGE_JOB_STATE", {"job_id": "w0!1", "job_state": "COMPLETED_FAILED", "kill_reason": ""})]
        return []

    server, _ = simulate(decide)
    job = server.recorder.jobs[0]
    assert (str(job.state), job.metadata, job.finished) == ("COMPLETED_FAILED", "moved, by hand", 6 * SECOND)


def first_answer(*answers):
    def decide(now, kind, data):
        return list(answers) if kind == "JOB_SUBMITTED" else []

    return decide


@pytest.mark.parametrize(
    ("decide", "problem"),
    [
        pytest.param(nothing, "has not started w0!1, and nothing will happen", id="a job is left"),
        pytest.param(first_answer(("EXECUTE_JOB", {"job_id": "w0!9", "alloc": "0"})), "unknown job 'w0!9'", id="job"),
        pytest.param(first_answer(("EXECUTE_JOB", {"job_id": "w0!1", "alloc": "4"})), "machines 0 to 3", id="machine"),
        pytest.param(first_answer(("EXECUTE_JOB", {"job_id": "w0!1", "alloc": "x"})), "0-4 6", id="no set"),
        pytest.param(
            first_answer(("EXECUTE_JOB", {"job_id": "w0!1", "alloc": "0 1"})), "asks for 1 machines", id="size"
        ),
        pytest.param(
            first_answer(*[("EXECUTE_JOB", {"job_id": "w0!1", "alloc": "0"})] * 2), "it is RUNNING", id="twice"
        ),
        pytest.param(first_answer(("KILL_JOB", {"job_ids": ["w0!1"]})), "cannot be killed", id="not running"),
        pytest.param(first_answer(("REGISTER_JOB", {"job_id": "w0!2"})), "--enable-dynamic-jobs", id="not dynamic"),
        pytest.param(first_answer(("SET_RESOURCE_STATE", {"resources": "0", "state": "1"})), "--energy", id="energy"),
        pytest.param(first_answer(("QUERY", {"requests": {"consumed_energy": {}}})), "--energy", id="no joules"),
        pytest.param(first_answer(("DANCE", {})), "DANCE at 0 s: unknown", id="no such event"),
        pytest.param(first_answer(("CALL_ME_LATER", {"timestamp": "soon"})), "CALL_ME_LATER.*seconds", id="no time"),
    ],
)
def test_a_scheduler_that_breaks_the_rules_is_told_which_and_where(decide, problem):
    with pytest.raises(ProtocolError, match=problem):
        simulate(decide)


def test_a_busy_machine_takes_no_second_job():
    with pytest.raises(ProtocolError, match=r"EXECUTE_JOB at 1 s: job w0!2: machine 0 \(m0\) is busy with w0!1"):
        simulate(start_at_once, [{"id": "1"}, {"id": "2", "subtime": 1}])


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (b"hello", "not a message"),
        (b'{"now": 0}', "not a message"),
        (b'{"now": -5, "events": []}', "backwards"),
        (b'{"now": 1, "events": [{"timestamp": 2, "type": "REJECT_JOB", "data": {}}]}', "before the message's last"),
        (b'{"now": 1e300, "events": []}', "at most 1e\\+11"),
    ],
)
def test_malformed_messages(answer, problem):
    class Broken:
        endpoint = "tcp://broken:1"

        def exchange(self, message):
            return answer

    platform = Platform(machines())
    with pytest.raises(ProtocolError, match=problem):
        Server(platform, [workload([{"id": "1"}])], Broken(), Recorder(platform)).run()
