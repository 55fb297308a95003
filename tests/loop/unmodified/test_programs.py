from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.loop.programs import an_experiment, assert_nothing_over_allocated, rows_by_name, run_entry, seconds_of
from tests.support.paths import EXAMPLES
from tests.support.waiting import eventually
from wavetank.errors import InputError
from wavetank.experiments.runner import run_experiment
from wavetank.loop.building.cache import Cache
from wavetank.loop.errors import ProcessError
from wavetank.loop.tracing import tracing

PLAIN = Path(__file__).parents[1] / "plain_scheduler.py"
EXAMPLE = EXAMPLES / "timestep-study" / "scheduler.py"
BURST = {"kind": "burst", "pods": 40, "duration": 170, "requests": {"cpu": 1}}


def a_program(*behaviour, **more):
    return {"command": [sys.executable, str(PLAIN), "{server}", *behaviour], **more}


def run_program(process, generator=BURST, **spec):
    experiment = an_experiment(
        cluster={"nodes": [{"count": 4, "cpu": 4, "memory": "8Gi"}]},
        workload={"generator": generator},
        schedulers=[{"name": "mine", "process": process}],
        **spec,
    )
    return run_entry(experiment)


def assert_three_rounds(recorder):
    finished = [seconds_of(row.finished) for row in recorder.rows]
    assert [round(each) for each in finished] == [170] * 16 + [340] * 16 + [510] * 8
    assert_nothing_over_allocated(recorder)


def test_a_python_scheduler_decides_in_no_time():
    assert_three_rounds(run_program(a_program()))


def test_one_over_the_official_client_does_too():
    pytest.importorskip("kubernetes")
    command = [sys.executable, str(EXAMPLE), "--kubeconfig", "{kubeconfig}"]
    assert_three_rounds(run_program({"command": command}))


def test_a_kube_scheduler_as_it_is_does_too():
    try:
        file = Cache().find("kube-scheduler", "v1.35.8").file
    except InputError as error:
        pytest.skip(f"no kube-scheduler: {error}")
    assert_three_rounds(run_program({"binary": file}))  # without the variable that the overlay looks at it is stock


def test_its_sleeps_pass_in_virtual_time():
    recorder = run_program(a_program("sleep"), {**BURST, "pods": 3, "duration": 1000})
    assert [seconds_of(row.scheduled) for row in recorder.rows] == pytest.approx([5, 10, 15], abs=0.001)


def test_it_takes_only_the_pods_that_ask_for_it():
    generators = [{**BURST, "pods": 2}, {**BURST, "pods": 2, "name": "other", "schedulerName": "other"}]
    experiment = an_experiment(
        workload={"generators": generators},
        schedulers=[
            {
                "name": "both",
                "together": [
                    {"name": "built-in", "policy": "first-fit", "schedulerName": "other"},
                    {"name": "mine", "process": a_program(), "schedulerName": "default-scheduler"},
                ],
            }
        ],
    )
    assert len(rows_by_name(run_entry(experiment))) == 4


@pytest.mark.parametrize(
    ("process", "problem"),
    [
        pytest.param(a_program("exit"), "has exited with status 1; its log ends: cannot go on", id="exits"),
        pytest.param(a_program("busy", patience="1s"), "has run for 1 s without getting quiet", id="a busy loop"),
        pytest.param(a_program("nowhere", patience="1s"), "has not connected to the API within 1 s", id="never comes"),
        pytest.param({"command": ["/nowhere/at-all"]}, "cannot be started", id="there is no such program"),
    ],
)
def test_a_program_that_fails_is_named_with_what_it_did(process, problem):
    with pytest.raises(ProcessError, match="scheduler mine") as caught:
        run_program(process)
    assert problem in str(caught.value)


def test_nothing_that_it_has_started_survives(tmp_path):
    marker = tmp_path / "pid"
    shell = f'sleep 1000 & echo $! > {marker}; exec "{sys.executable}" "{PLAIN}" "$0"'
    run_program({"command": ["/bin/sh", "-c", shell, "{server}"]}, {**BURST, "pods": 1})
    pid = int(marker.read_text())
    eventually(lambda: _is_gone(pid), f"process {pid} is still there")


def _is_gone(pid):
    try:
        return "Z" in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2]
    except FileNotFoundError:
        return True


def test_the_results_say_that_they_cannot_be_repeated_exactly(tmp_path):
    experiment = an_experiment(schedulers=[{"name": "mine", "process": a_program()}])
    run_experiment(experiment, tmp_path / "out", "test")
    assert "mine: not exactly repeatable" in (tmp_path / "out" / "experiment.json").read_text()


@pytest.mark.parametrize(
    ("process", "problem"),
    [
        ({}, "expected one of package, binary, command, listen"),
        ({"command": []}, "process.command: expected a list with at least one item"),
        ({"command": [1]}, r"process.command\[0\]: expected a text"),
        ({"binary": "/nowhere"}, "process.binary: /nowhere is not a program that can be started"),
        ({"binary": "/tmp"}, "process.binary: /tmp is not a program that can be started"),
        ({"listen": "127.0.0.1:8001"}, "listen alone only with sync"),
    ],
)
def test_a_process_that_cannot_be_is_refused(process, problem):
    with pytest.raises(InputError, match=problem):
        an_experiment(schedulers=[{"name": "mine", "process": process}])


def test_other_machines_are_refused_in_words(monkeypatch):
    monkeypatch.setattr(tracing, "machine", lambda: "aarch64")
    with pytest.raises(InputError, match=r"only be put on virtual time by Linux on x86-64.*sync: {mode: timestep}"):
        an_experiment(schedulers=[{"name": "mine", "process": a_program()}])
