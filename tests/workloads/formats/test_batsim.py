from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.paths import shared_data
from tests.workloads.inputs import a_file, arrivals_of, names_of
from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND
from wavetank.workloads.formats.batsim.workload import BatsimWorkload
from wavetank.workloads.open import open_workload

DELAY = {"type": "delay", "delay": 10}


def a_workload(*jobs: dict[str, Any], profiles: dict[str, Any] | None = None, nb_res: int = 8) -> BatsimWorkload:
    full = [{"id": i, "subtime": 0, "res": 1, "profile": "p", **job} for i, job in enumerate(jobs)]
    document = {"nb_res": nb_res, "jobs": full, "profiles": {"p": DELAY, **(profiles or {})}}
    return BatsimWorkload(a_file(document, "w.json"))


@pytest.mark.parametrize(
    ("profile", "seconds", "flops", "exit_code"),
    [
        pytest.param({"type": "delay", "delay": 1.5}, 1.5, 0, 0, id="a delay passes on any host"),
        pytest.param({"type": "delay", "delay": 1, "ret": 3}, 1, 0, 3, id="ret is the exit code"),
        pytest.param(
            {"type": "parallel", "cpu": [5, 0, 9, 1], "com": [0] * 16}, 0, 9, 0, id="all ranks wait for the busiest"
        ),
        pytest.param({"type": "parallel_homogeneous", "cpu": 8, "com": 0}, 0, 8, 0, id="cpu is per rank"),
        pytest.param({"type": "parallel_homogeneous_total", "cpu": 8, "com": 0}, 0, 2, 0, id="a total is shared"),
        pytest.param({"type": "msg_par_hg", "cpu": 8, "com": 0}, 0, 8, 0, id="a name from before 3.0"),
        pytest.param({"type": "msg_par_hg_tot", "cpu": 8, "com": 0}, 0, 2, 0, id="a total from before 3.0"),
        pytest.param({"type": "composed", "seq": ["p", "work", "p"]}, 20, 7, 0, id="a sequence adds up"),
        pytest.param({"type": "composed", "seq": ["p"], "repeat": 3}, 30, 0, 0, id="repeated"),
        pytest.param({"type": "composed", "seq": ["p"], "nb": 3}, 30, 0, 0, id="repeated, before 3.0"),
        pytest.param({"type": "composed", "seq": ["nested", "p"], "repeat": 2}, 60, 0, 0, id="sequences nest"),
        pytest.param(
            {"type": "composed", "seq": ["p", "fails", "p"], "repeat": 9}, 11, 0, 4, id="a failure ends a sequence"
        ),
    ],
)
def test_a_profile_becomes_a_run(profile: dict[str, Any], seconds: float, flops: float, exit_code: int) -> None:
    others = {
        "work": {"type": "parallel_homogeneous", "cpu": 7, "com": 0},
        "nested": {"type": "composed", "seq": ["p", "p"]},
        "fails": {"type": "delay", "delay": 1, "ret": 4},
    }
    workload = a_workload({"res": 4, "profile": "tried"}, profiles={"tried": profile, **others})
    run = arrivals_of(workload)[0].pod.behavior
    assert run is not None
    assert (run.duration, run.flops, run.exit_code) == (seconds * SECOND, flops, exit_code)


@pytest.mark.parametrize(
    ("profile", "message"),
    [
        pytest.param(
            {"type": "smpi", "trace": "x"},
            "w.json: profiles.tried.type: smpi profiles need SMPI traces, which wavetank does not have (job '0')",
            id="smpi",
        ),
        pytest.param({"type": "msg_par_hg_pfs"}, "profiles.tried.type: parallel_homogeneous_pfs", id="a file system"),
        pytest.param({"type": "data_staging"}, "need a storage model", id="staging"),
        pytest.param({"type": "usage_trace"}, "need usage traces", id="a usage trace"),
        pytest.param({"type": "send"}, "need messages", id="a message"),
        pytest.param({"type": "delya", "delay": 1}, "unknown type 'delya': expected one of delay", id="a typo"),
        pytest.param(
            {"type": "parallel_homogeneous", "cpu": 1, "com": 1},
            "profiles.tried.com: communication needs a network model",
            id="homogeneous communication",
        ),
        pytest.param(
            {"type": "parallel", "cpu": [1, 1], "com": [0, 1, 0, 0]},
            "profiles.tried.com: communication needs a network model",
            id="communication",
        ),
        pytest.param({"type": "parallel", "cpu": [1]}, "expected 2 values, one per resource", id="too few ranks"),
        pytest.param({"type": "composed", "seq": ["tried"]}, "the profile contains itself", id="a circle"),
        pytest.param({"type": "composed", "seq": ["gone"]}, "profiles.tried.seq: there is no profile", id="a gap"),
        pytest.param({"type": "composed", "seq": ["p"], "repeat": 0}, "profiles.tried.repeat", id="never repeated"),
        pytest.param({"type": "composed", "seq": ["p"], "repeat": 10**9}, "longer than a century", id="too long"),
        pytest.param({"type": "delay", "delay": -1}, "profiles.tried.delay", id="a negative delay"),
        pytest.param({"type": "delay", "delay": 1e300}, "expected at most a century", id="an absurd delay"),
        pytest.param({"type": "delay"}, "profiles.tried.delay", id="a delay without its length"),
        pytest.param([], "profiles.tried: expected a mapping", id="no object"),
    ],
)
def test_a_profile_that_cannot_be_simulated_is_refused(profile: object, message: str) -> None:
    with pytest.raises(InputError) as caught:
        a_workload({"res": 2, "profile": "tried"}, profiles={"tried": profile})
    assert message in str(caught.value)


def test_a_profile_that_no_job_uses_may_be_of_any_type() -> None:
    assert a_workload({}, profiles={"other": {"type": "smpi"}}).description == "1 jobs from w.json"


def test_communication_of_a_job_on_one_host_needs_no_network() -> None:
    alone = {"type": "parallel_homogeneous", "cpu": 1, "com": 5}
    assert len(arrivals_of(a_workload({"profile": "alone"}, profiles={"alone": alone}))) == 1


def test_ranks_share_one_job_and_end_together() -> None:
    pods = [arrival.pod for arrival in arrivals_of(a_workload({"id": "big", "res": 3, "walltime": 20}))]
    assert [pod.name for pod in pods] == ["big-0", "big-1", "big-2"]
    assert len({id(pod.behavior) for pod in pods}) == 1
    assert pods[0].behavior is not None
    job = pods[0].behavior.job
    assert job is not None
    assert (job.id, job.workload, job.profile, job.size, job.walltime) == ("big", "w0", "p", 3, 20 * SECOND)


@pytest.mark.parametrize(
    ("identifier", "name"),
    [
        pytest.param("w0!1", "w0-1", id="an id as on the wire"),
        pytest.param(7, "7", id="a number"),
        pytest.param("Homo_no_CPU", "homo-no-cpu", id="what a name may not hold becomes a dash"),
        pytest.param("a.b", "a-b", id="dots too"),
    ],
)
def test_a_pod_is_named_like_its_job(identifier: object, name: str) -> None:
    assert names_of(a_workload({"id": identifier})) == [name]


@pytest.mark.parametrize(
    ("job", "cpu", "memory", "scheduler"),
    [
        pytest.param({}, 1000, None, "default-scheduler", id="a core, no memory, the run's scheduler"),
        pytest.param({"cpu": "500m", "memory": "1Gi"}, 500, 1 << 30, "default-scheduler", id="as the job says"),
        pytest.param({"profile": "kube"}, 188, None, "mine", id="as its profile says"),
        pytest.param({"profile": "kube", "cpu": 2}, 2000, None, "mine", id="the job beats the profile"),
        pytest.param({"profile": "work"}, 1000, None, "default-scheduler", id="cpu of a computation is work"),
        pytest.param({"scheduler": "default"}, 1000, None, "default-scheduler", id="default is the run's"),
    ],
)
def test_batkubes_fields_say_what_a_pod_asks_for(
    job: dict[str, Any], cpu: int, memory: int | None, scheduler: str
) -> None:
    profiles = {
        "kube": {**DELAY, "cpu": 0.188, "scheduler": "mine"},
        "work": {"type": "parallel_homogeneous", "cpu": 5e9, "com": 0},
    }
    pod = arrivals_of(a_workload(job, profiles=profiles))[0].pod
    assert (pod.spec.requests["cpu"], pod.spec.requests.get("memory")) == (cpu, memory)
    assert pod.scheduler_name == scheduler


def test_equal_jobs_share_a_spec() -> None:
    workload = a_workload({}, {"cpu": "1000m"}, {"cpu": 2})
    first, second, third = (arrival.pod.spec for arrival in arrivals_of(workload))
    assert first is second
    assert first is not third


def test_jobs_of_one_time_come_in_batsims_order_by_id_as_text() -> None:
    assert names_of(a_workload({"id": 2}, {"id": 10}, {"id": 1, "subtime": 5}, {"id": 3})) == ["10", "2", "3", "1"]


@pytest.mark.parametrize(
    ("job", "message"),
    [
        pytest.param({"res": 9}, "jobs[0].res: job '0' asks for 9 resources of 8", id="more than there is"),
        pytest.param({"res": 0}, "jobs[0].res: expected a whole number", id="nothing"),
        pytest.param({"walltime": 0}, "jobs[0].walltime: expected a walltime above 0 s", id="no time at all"),
        pytest.param({"subtime": -1}, "jobs[0].subtime", id="before the start"),
        pytest.param({"subtime": None}, "jobs[0].subtime", id="never"),
        pytest.param({"profile": "gone"}, "jobs[0].profile: there is no profile 'gone'", id="an unknown profile"),
        pytest.param({"id": None}, "jobs[0].id: expected a job id", id="no id"),
        pytest.param({"id": "!"}, "makes no name of a pod", id="an id without a letter"),
        pytest.param({"cpu": "much"}, "jobs[0].cpu", id="no quantity"),
        pytest.param({"scheduler": ""}, "jobs[0].scheduler", id="a scheduler without a name"),
    ],
)
def test_a_bad_job_is_named(job: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        a_workload(job)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "jobs",
    [
        pytest.param([{"id": "a!1"}, {"id": "a_1"}], id="ids that differ only in what names cannot hold"),
        pytest.param([{"id": "a", "res": 2}, {"id": "a-1"}], id="a job named like the rank of another"),
        pytest.param([{"id": "a", "res": 2}, {"id": "a"}], id="one id twice"),
    ],
)
def test_two_pods_never_share_a_name(jobs: list[dict[str, Any]]) -> None:
    with pytest.raises(InputError, match="ids must be unique"):
        a_workload(*jobs)


def test_a_name_beyond_the_last_rank_is_free() -> None:
    assert names_of(a_workload({"id": "a", "res": 2}, {"id": "a-2"})) == ["a-0", "a-1", "a-2"]


@pytest.mark.parametrize(
    "path",
    [
        "batkube-real-k3s/spaced_200_delay170.workload.json",
        "batsim/medium_late.workload.json",
        "batsim/workloads/example_workload_hpc_seed1_jobs250.json",
        "batsim/workloads/example_workload_hpc_seed2_jobs250.json",
        "batsim/workloads/test_batsim_paper_workload_seed1.json",
        "batsim/workloads/test_delays.json",
        "batsim/workloads/test_same_submit_time.json",
        "batsim/workloads/test_sequence_delay.json",
        "batsim/workloads/test_walltime.json",
        "oar-real-g5k/seed1.workload.json",
    ],
)
def test_every_resource_of_every_job_of_a_real_workload_becomes_a_pod(path: str) -> None:
    file = shared_data(path)
    jobs = json.loads(file.read_text())["jobs"]
    workload = open_workload(file)
    arrivals = arrivals_of(workload)
    assert workload.description == f"{len(jobs)} jobs from {file.name}"
    assert len(arrivals) == sum(job["res"] for job in jobs)
    assert [arrival.time for arrival in arrivals] == sorted(arrival.time for arrival in arrivals)
    total = sum(arrival.pod.behavior.job.walltime or 0 for arrival in arrivals)
    assert total == sum(max(job.get("walltime", 0), 0) * job["res"] for job in jobs) * SECOND


def test_a_real_workload_with_communication_is_refused_by_name() -> None:
    with pytest.raises(InputError, match=r"profiles\.simple\.com: communication needs a network model"):
        open_workload(shared_data("batsim/workloads/test_various_profile_types.json"))


def test_a_lenient_reader_leaves_out_what_needs_a_network() -> None:
    workload = open_workload(shared_data("batsim/workloads/test_various_profile_types.json"), lenient=True)
    assert workload.skipped["job that cannot be simulated"] > 0
    assert len(arrivals_of(workload)) > 0
