"""Energy of machines, on cases computed by hand."""

import pytest

from tests.batsim.scripted import machines, simulate, start_at_once
from wavetank.batsim.platform.platform import Platform, PlatformOptions, read_platform
from wavetank.batsim.platform.power import Sleep
from wavetank.batsim.protocol import ProtocolError
from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND
from wavetank.workloads.formats.batsim.wattage import Power

# 0: compute at 1 Mf; 1: compute at half; 2: sleep; 3: fall asleep in 2 s; 4: wake up in 5 s
SPEEDS = (1e6, 0.5e6, 1e-9, 0.5, 0.2)
POWERS = (Power(100, 110, 200), Power(80, 85, 120), Power(10, 10, 10), Power(50, 50, 50), Power(150, 150, 150))


def a_platform(count=1):
    return Platform(machines(count, speeds=SPEEDS, powers=POWERS, sleeps={2: Sleep(3, 4)}))


def joules(server):
    return sum(machine.joules(server.clock.now) for machine in server.platform.machines)


def test_a_delay_costs_what_an_idle_machine_costs():
    server, _ = simulate(start_at_once, platform=a_platform())
    assert server.recorder.jobs[0].joules == pytest.approx(10 * 100)


@pytest.mark.parametrize(
    ("cpu", "expected"),
    [
        pytest.param([4e6, 4e6], 2 * 4 * 200, id="both busy all the time"),
        pytest.param(
            [4e6, 1e6], 4 * 200 + 4 * (110 + 0.25 * 90), id="a rank with a quarter of the work is a quarter busy"
        ),
        pytest.param([4e6, 0], 4 * 200 + 4 * 100, id="a rank without work is idle"),
    ],
)
def test_computation_costs_by_its_load(cpu, expected):
    profiles = {"p": {"type": "parallel", "cpu": cpu}}
    jobs = [{"id": "1", "res": 2, "profile": "p"}]
    server, _ = simulate(start_at_once, jobs, profiles=profiles, platform=a_platform(2))
    assert server.recorder.jobs[0].joules == pytest.approx(expected)
    assert joules(server) == pytest.approx(expected)


def switching(now, kind, data):
    """Sends the machine to sleep at 0, wakes it up at 20, then starts the job."""
    if kind == "SIMULATION_BEGINS":
        return [("SET_RESOURCE_STATE", {"resources": "0", "state": "2"}), ("CALL_ME_LATER", {"timestamp": 20})]
    if kind == "REQUESTED_CALL":
        return [("SET_RESOURCE_STATE", {"resources": "0", "state": "0"})]
    if kind == "RESOURCE_STATE_CHANGED" and data["state"] == "0":
        return [("EXECUTE_JOB", {"job_id": "w0!1", "alloc": "0"}), ("QUERY", {"requests": {"consumed_energy": {}}})]
    return []


def test_sleeping_and_waking_take_time_and_energy():
    server, scheduler = simulate(switching, platform=a_platform())
    assert scheduler.of("RESOURCE_STATE_CHANGED") == [
        (2, {"resources": "0", "state": "2"}),
        (25, {"resources": "0", "state": "0"}),
    ]
    before = 2 * 50 + 18 * 10 + 5 * 150
    assert scheduler.of("ANSWER") == [(25, {"consumed_energy": pytest.approx(before)})]
    assert joules(server) == pytest.approx(before + 10 * 100)
    assert server.recorder.pstates == [
        (0, (0,), 0),
        (0, (0,), -2),
        (2 * SECOND, (0,), 2),
        (20 * SECOND, (0,), -1),
        (25 * SECOND, (0,), 0),
    ]
    assert server.recorder.energies[1] == (20 * SECOND, pytest.approx(280), "p", 10, pytest.approx(14))
    assert (server.switches.requests, server.switches.machines) == (2, 2)


def test_a_slower_state_slows_what_runs():
    def decide(now, kind, data):
        if kind == "JOB_SUBMITTED":
            return [*start_at_once(now, kind, data), ("CALL_ME_LATER", {"timestamp": 1})]
        return [("SET_RESOURCE_STATE", {"resources": "0", "state": "1"})] if kind == "REQUESTED_CALL" else []

    profiles = {"p": {"type": "parallel_homogeneous", "cpu": 4e6}}
    server, _ = simulate(decide, [{"id": "1", "profile": "p"}], profiles=profiles, platform=a_platform())
    assert server.recorder.jobs[0].finished == 7 * SECOND  # 1 s at full speed, then 3 Mflop at half of it
    assert joules(server) == pytest.approx(1 * 200 + 6 * 120)


def test_a_sleeping_machine_takes_no_job():
    def decide(now, kind, data):
        if kind == "SIMULATION_BEGINS":
            return [("SET_RESOURCE_STATE", {"resources": "0", "state": "2"})]
        return start_at_once(now, kind, data)

    with pytest.raises(ProtocolError, match="switching_off"):
        simulate(decide, platform=a_platform())


HOST = '<host id="a" speed="1Mf, 2Mf"><prop id="wattage_per_state" value="{watts}"/>{more}</host>'


@pytest.mark.parametrize(
    ("watts", "more", "problem"),
    [
        ("10:20", "", "as many states as speeds"),
        ("10:x, 1:2", "", "expected watts"),
        ("1:2, 3:4", '<prop id="sleep_pstates" value="1:2"/>', "three of the 2 power states"),
        ("1:2, 3:4", '<prop id="sleep_pstates" value="0:1:7"/>', "three of the 2 power states"),
    ],
)
def test_impossible_power_states_are_refused(watts, more, problem, tmp_path):
    host = HOST.format(watts=watts, more=more)
    zone = f'<zone id="z" routing="Full"><host id="master_host" speed="1f"/>{host}</zone>'
    (tmp_path / "p.xml").write_text(f'<platform version="4.1">{zone}</platform>')
    with pytest.raises(InputError, match=problem):
        read_platform(tmp_path / "p.xml", PlatformOptions(energy=True))
