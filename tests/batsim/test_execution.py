"""How long jobs take on their machines."""

import pytest

from tests.batsim.scripted import machines, simulate, start_at_once
from wavetank.batsim.platform.machine import Machine
from wavetank.batsim.platform.platform import Platform, read_platform
from wavetank.batsim.protocol import ProtocolError
from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND

SMALL = """<platform version="4.1"><zone id="z" routing="Full">
  <host id="master_host" speed="1Mf"/><host id="a" speed="1Mf"/><host id="b" speed="2Mf"/><host id="c" speed="1Mf"/>
  <link id="l1" bandwidth="1MBps" latency="100ms"/><link id="l2" bandwidth="4MBps" latency="50ms"/>
  <route src="a" dst="b"><link_ctn id="l1"/><link_ctn id="l2"/></route>
  <route src="a" dst="c"><link_ctn id="l1"/></route>
</zone></platform>"""


def finished(profile, size=1, walltime=-1, platform=None, **profiles):
    jobs = [{"id": "1", "res": size, "profile": "p", "walltime": walltime}]
    server, _ = simulate(start_at_once, jobs, profiles={"p": profile, **profiles}, platform=platform)
    job = server.recorder.jobs[0]
    return job.finished / SECOND, str(job.state), job.exit_code


def platform_of(tmp_path, text=SMALL):
    (tmp_path / "p.xml").write_text(text)
    return read_platform(tmp_path / "p.xml")


@pytest.mark.parametrize(
    ("profile", "size", "end"),
    [
        pytest.param({"type": "delay", "delay": 20.2}, 1, 20.2, id="a delay"),
        pytest.param({"type": "parallel", "cpu": [5e6, 1e6], "com": None}, 2, 5, id="the slowest rank ends it"),
        pytest.param({"type": "parallel_homogeneous", "cpu": 3e6}, 4, 3, id="each rank the same"),
        pytest.param({"type": "parallel_homogeneous_total", "cpu": 8e6}, 4, 2, id="together so much"),
        pytest.param({"type": "msg_par_hg", "cpu": 3e6, "com": 0}, 1, 3, id="an old name"),
        pytest.param({"type": "composed", "seq": ["two", "three"], "repeat": 2}, 1, 10, id="one after the other"),
        pytest.param({"type": "parallel_homogeneous", "cpu": 0}, 1, 0, id="nothing to do"),
    ],
)
def test_profiles_take_their_time(profile, size, end):
    parts = {"two": {"type": "delay", "delay": 2}, "three": {"type": "parallel_homogeneous", "cpu": 3e6}}
    assert finished(profile, size, **parts) == (end, "COMPLETED_SUCCESSFULLY", 0)


@pytest.mark.parametrize(
    ("walltime", "end", "state"),
    [(11, 10, "COMPLETED_SUCCESSFULLY"), (10, 10, "COMPLETED_WALLTIME_REACHED"), (4, 4, "COMPLETED_WALLTIME_REACHED")],
)
def test_the_walltime_ends_a_job(walltime, end, state):
    assert finished({"type": "delay", "delay": 10}, walltime=walltime)[:2] == (end, state)


def test_the_first_part_that_fails_ends_a_composed_job_with_its_code():
    parts = {"good": {"type": "delay", "delay": 1}, "bad": {"type": "delay", "delay": 1, "ret": 3}}
    assert finished({"type": "composed", "seq": ["good", "bad", "good"]}, **parts) == (2, "COMPLETED_FAILED", 3)


def test_two_jobs_share_a_machine_equally():
    jobs = [{"id": "1", "profile": "p"}, {"id": "2", "profile": "p", "subtime": 2}]
    profiles = {"p": {"type": "parallel_homogeneous", "cpu": 6e6}}
    server, _ = simulate(start_at_once, jobs, profiles=profiles, compute_sharing=True)
    # alone for 2 s, then half the speed: 2 + 8; the second has then done 4 of 6 and ends alone
    assert [job.finished / SECOND for job in server.recorder.jobs] == [10, 12]


def test_each_job_has_a_core_as_long_as_there_are_enough():
    jobs = [{"id": str(i), "profile": "p"} for i in range(3)]
    profiles = {"p": {"type": "parallel_homogeneous", "cpu": 6e6}}
    platform = Platform([Machine(0, "m0", (1e6,), cores=2)])
    server, _ = simulate(start_at_once, jobs, profiles=profiles, platform=platform, compute_sharing=True)
    assert [job.finished / SECOND for job in server.recorder.jobs] == [9, 9, 9]


def test_ranks_may_be_mapped_to_fewer_machines():
    def decide(now, kind, data):
        mapping = {"0": "0", "1": "0", "2": "1"}
        job = {"job_id": "w0!1", "alloc": "1-2", "mapping": mapping}
        return [("EXECUTE_JOB", job)] if kind == "JOB_SUBMITTED" else []

    profiles = {"p": {"type": "parallel", "cpu": [2e6, 2e6, 1e6]}}
    server, _ = simulate(decide, [{"id": "1", "res": 3, "profile": "p"}], profiles=profiles)
    assert server.recorder.jobs[0].finished == 4 * SECOND  # two ranks share the one core of machine 1


def test_communication_is_as_fast_as_the_slowest_link_after_the_latency(tmp_path):
    profile = {"type": "parallel", "cpu": [0, 0], "com": [0, 2e6, 0, 0]}
    end, _, _ = finished(profile, 2, platform=platform_of(tmp_path))
    assert end == pytest.approx(0.15 + 2.0)


def test_computation_and_communication_go_on_together(tmp_path):
    profile = {"type": "parallel", "cpu": [6e6, 2e6], "com": [0, 2e6, 0, 0]}
    end, _, _ = finished(profile, 2, platform=platform_of(tmp_path))
    assert end == pytest.approx(0.15 + 6.0)


def test_input_and_output_goes_on_beside_a_job(tmp_path):
    def decide(now, kind, data):
        profile = {"type": "parallel", "cpu": [0, 0], "com": [0, 5e6, 0, 0]}
        io = {"alloc": "0-1", "profile_name": "io", "profile": profile}
        job = {"job_id": "w0!1", "alloc": "0", "additional_io_job": io}
        return [("EXECUTE_JOB", job)] if kind == "JOB_SUBMITTED" else []

    profiles = {"p": {"type": "parallel_homogeneous", "cpu": 3e6}}
    jobs = [{"id": "1", "profile": "p"}]
    server, _ = simulate(decide, jobs, profiles=profiles, platform=platform_of(tmp_path))
    assert server.recorder.jobs[0].finished / SECOND == pytest.approx(0.15 + 5.0)


def test_communication_without_links_is_refused():
    with pytest.raises(ProtocolError, match="needs links"):
        finished({"type": "parallel_homogeneous", "cpu": 1, "com": 1}, 2, platform=Platform(machines()))


def test_communication_without_a_route_is_refused(tmp_path):
    profile = {"type": "parallel", "cpu": [0] * 3, "com": [0, 0, 0, 0, 0, 1, 0, 0, 0]}
    with pytest.raises(ProtocolError, match="no route from b to c"):
        finished(profile, 3, platform=platform_of(tmp_path))


@pytest.mark.parametrize("kind", ["smpi", "usage_trace", "send", "recv", "magic"])
def test_profiles_that_are_not_simulated_are_refused_by_name(kind):
    with pytest.raises(InputError, match=kind):
        finished({"type": kind})
