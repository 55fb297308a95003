"""Programs that misbehave: found out, named with the end of their log, and nothing of them is left."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.loop.programs import PUPPET, a_puppet, an_experiment, told
from tests.support.waiting import PATIENCE_S, eventually
from wavetank.experiments.document.experiment import Experiment
from wavetank.experiments.recording import record
from wavetank.experiments.runner import FailedRunsError, run_experiment
from wavetank.loop.errors import ProcessError
from wavetank.loop.processes.definition import ControllerDefinition, ProcessDefinition
from wavetank.loop.turns import lockstep
from wavetank.results.recording.recorder import Recorder
from wavetank.simulation import programs
from wavetank.simulation.entries import SchedulerEntry

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="programs run in the loop on Linux")


WATCH = "its last requests: GET /api/v1/pods?watch (200)"
ASKED = f"its last requests: {', '.join(['GET /version (200)'] * 5)}"
_LEASES = "POST /apis/coordination.k8s.io/v1/namespaces/kube-system/leases"
LEASES = f"its last requests: {_LEASES} (201), {_LEASES} (409)"
NOT_SERVED = (
    f"which is not served; its last requests: {', '.join(['GET /apis/example.org/v1/things?watch (404)'] * 5)}; its log"
)


def with_program(*programs: ProcessDefinition, **spec: object) -> Experiment:
    experiment = an_experiment(**{"schedulers": [{"name": "default"}], **spec})
    entries = tuple(SchedulerEntry(program.name, (), (program,)) for program in programs)
    return replace(experiment, schedulers=(*experiment.schedulers, *entries))


def run(program: ProcessDefinition, **spec: object) -> Recorder:
    experiment = with_program(program, **spec)
    return record(experiment.setting(experiment.schedulers[1]), 1)


def limit_turns(monkeypatch: pytest.MonkeyPatch, turns: int, per_object: int = 0, most: int = 100_000) -> None:
    monkeypatch.setattr(lockstep, "FEW_TURNS", turns)
    monkeypatch.setattr(lockstep, "TURNS_PER_OBJECT", per_object)
    monkeypatch.setattr(lockstep, "MOST_TURNS", most)


def test_a_program_that_plays_by_the_book(tmp_path):
    rows = run(a_puppet(tmp_path, "well")).rows
    assert [(row.node, row.scheduled, row.phase) for row in rows] == [("node-0", 0, "Succeeded")] * 3


@pytest.mark.parametrize(
    ("behaviour", "problem"),
    [
        ("exits", "has exited with status 4; its log ends: I do not like it here"),
        ("panics", "has exited with status 2; its log ends: panic: assignment to entry in nil map | goroutine 1"),
        ("leaves", f"has exited with status 0; {WATCH}; its log ends: pod "),
        ("loops", f"has run for 1 s without getting quiet (a busy loop?); {WATCH}; its log ends: pod "),
        ("asks forever", f"is never done with one instant: it has had 500 turns; {ASKED}; its log ends: pod "),
        ("sets timers forever", f"is never done with one instant: it has had 500 turns; {WATCH}; its log ends: pod "),
        ("never syncs", "does not watch pods: it never got in sync; its log is empty"),
        ("loses its lease", f"has exited with status 1; {LEASES}; its log ends: leader election lost"),
        ("asks for what is not there", f"asks again and again for /apis/example.org/v1/things, {NOT_SERVED}"),
        ("binds to nowhere", f"to node 'nowhere', which does not exist; {WATCH}; its log ends: pod "),
        (
            "binds twice",
            "twice: to node 'node-0', then to 'node-0'; its last requests: GET /api/v1/pods?watch (200), POST",
        ),
        ("ignores pods", f"has never tried pod default/burst-0, which waits for it; {WATCH}; its log ends: pod "),
    ],
)
def test_a_program_that_misbehaves(tmp_path, monkeypatch, behaviour, problem):
    limit_turns(monkeypatch, 500)
    patience_s = 1 if behaviour == "loops" else 20
    with pytest.raises(ProcessError) as raised:
        run(a_puppet(tmp_path, behaviour, patience_s))
    assert str(raised.value).startswith("scheduler puppet ")
    assert problem in str(raised.value)
    assert raised.value.exit_status == 3
    assert not _puppets(tmp_path)


def test_a_program_that_connects_forever_at_one_instant(tmp_path, monkeypatch):
    usual, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    few = len(os.listdir("/proc/self/fd")) + 300
    monkeypatch.setattr(programs, "_allow_many_files", lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (few, most)))
    try:
        with pytest.raises(ProcessError, match="has made more connections than files may be open here") as raised:
            run(a_puppet(tmp_path, "connects forever"))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (usual, most))
    assert "its last requests: GET /api/v1/pods?watch (200); its log ends: pod burst-0" in str(raised.value)


@pytest.mark.parametrize(
    ("most", "turns"),
    [pytest.param(10_000, 300, id="two for each of 100 nodes"), pytest.param(250, 250, id="never more than the most")],
)
def test_a_larger_cluster_may_take_more_turns(tmp_path, monkeypatch, most, turns):
    limit_turns(monkeypatch, 100, 2, most)
    nodes = {"nodes": [{"count": 100, "cpu": 4, "memory": "8Gi"}]}
    with pytest.raises(ProcessError) as raised:
        run(a_puppet(tmp_path, "asks forever"), cluster=nodes)
    taken = int(str(raised.value).partition("it has had ")[2].partition(" turns")[0])
    assert turns <= taken <= min(2 * turns, most)  # there are some other objects, too


def a_controller(folder: Path, behaviour: str, patience_s: float) -> ControllerDefinition:
    program = a_puppet(folder, behaviour)
    return ControllerDefinition("puppet", "puppet", "v1.35.8", program.file, patience_s=patience_s)


@pytest.mark.parametrize(
    ("behaviour", "problem"),
    [
        ("exits", "has exited with status 4; its log ends: I do not like it here"),
        ("panics", "has exited with status 2; its log ends: panic: assignment to entry in nil map | goroutine 1"),
        ("leaves", f"has exited with status 0; {WATCH}; its log ends: pod "),
        ("loops", f"has run for 1 s without getting quiet (a busy loop?); {WATCH}; its log ends: pod "),
        ("asks forever", f"is never done with one instant: it has had 500 turns; {ASKED}; its log ends: pod "),
        ("sets timers forever", f"is never done with one instant: it has had 500 turns; {WATCH}; its log ends: pod "),
        ("never syncs", "has sent no request: it never began; its log is empty"),
        ("loses its lease", f"has exited with status 1; {LEASES}; its log ends: leader election lost"),
        ("asks for what is not there", f"asks again and again for /apis/example.org/v1/things, {NOT_SERVED}"),
    ],
)
def test_a_controller_that_misbehaves(tmp_path, monkeypatch, behaviour, problem):
    limit_turns(monkeypatch, 500)
    patience_s = 1 if behaviour == "loops" else 20
    experiment = an_experiment(schedulers=[{"name": "default"}])
    setting = replace(
        experiment.setting(experiment.schedulers[0]), programs=(a_controller(tmp_path, behaviour, patience_s),)
    )
    with pytest.raises(ProcessError) as raised:
        record(setting, 1)
    assert str(raised.value).startswith("controller puppet ")
    assert problem in str(raised.value)
    assert raised.value.exit_status == 3
    assert not _puppets(tmp_path)


def test_a_file_that_is_no_program(tmp_path):
    program = replace(a_puppet(tmp_path, "well"), file=str(tmp_path / "missing"))
    with pytest.raises(ProcessError, match="cannot be started: No such file or directory"):
        run(program)


@pytest.mark.parametrize("jobs", [1, 2])
def test_other_runs_of_the_sweep_go_on(tmp_path, jobs):
    out = tmp_path / "out"
    experiment = with_program(a_puppet(tmp_path, "exits"), a_puppet(tmp_path, "well", name="good"))
    with pytest.raises(FailedRunsError) as raised:
        run_experiment(experiment, out, "0.0", jobs=jobs)
    assert str(raised.value).startswith("puppet/seed-1: scheduler puppet has exited with status 4")
    assert {path.name for path in out.iterdir() if path.is_dir()} == {"default", "good"}
    facts = json.loads((out / "experiment.json").read_text())
    assert facts["warnings"][0] == "puppet/seed-1 failed: scheduler puppet has exited with status 4"
    assert [each["name"] for each in facts["schedulers"]] == ["default", "good"]


def test_no_results_where_all_runs_have_failed(tmp_path):
    experiment = with_program(a_puppet(tmp_path, "exits"))
    experiment = replace(experiment, schedulers=experiment.schedulers[1:])
    with pytest.raises(FailedRunsError):
        run_experiment(experiment, tmp_path / "out", "0.0", jobs=1)
    assert not (tmp_path / "out").exists()


# In a script of its own: another distribution (ciw) installs a package called `tests`, too.
OUR_TESTS = (
    "import sys, types; tests = sys.modules['tests'] = types.ModuleType('tests'); tests.__path__ = [sys.argv[2]]\n"
)


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_no_program_survives_us(tmp_path, ending):
    """The puppet loops, so that it does not notice by itself that its parent is gone."""
    script = (
        OUR_TESTS + "from pathlib import Path\n"
        "from tests.loop.faults.test_faults import run\n"
        "from tests.loop.programs import a_puppet\n"
        "run(a_puppet(Path(sys.argv[1]), 'loops', 60))\n"
    )
    ours = subprocess.Popen([sys.executable, "-c", script, tmp_path, PUPPET.parents[1]], stderr=subprocess.DEVNULL)
    try:
        eventually(lambda: len(_puppets(tmp_path)) == 1)
        ours.send_signal(ending)
        ours.wait(10)
        eventually(lambda: not _puppets(tmp_path))
    finally:
        ours.kill()


def test_two_at_a_time(tmp_path):
    """Two experiments side by side do not get into each other's way: there is nothing that they share."""
    script = (
        OUR_TESTS + "from pathlib import Path\n"
        "from tests.loop.faults.test_faults import run\n"
        "from tests.loop.programs import a_puppet, told\n"
        "print(told(run(a_puppet(Path(sys.argv[1]), 'well')).rows))\n"
    )
    folders = [tmp_path / "first", tmp_path / "second"]  # a script that is still written cannot be started
    for folder in folders:
        folder.mkdir()
    commands = [[sys.executable, "-c", script, folder, PUPPET.parents[1]] for folder in folders]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for command in commands]
    outs = [each.communicate(timeout=PATIENCE_S)[0].strip() for each in both]
    assert outs[0] == outs[1] == str(told(run(a_puppet(tmp_path, "well")).rows))


def _puppets(folder: Path) -> list[int]:
    """Returns the processes of puppets that a test has started: they have its folder's script as their parent shell."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                environment = Path("/proc", entry, "environ").read_bytes()
                command = Path("/proc", entry, "cmdline").read_bytes()
            except OSError:
                continue
            if str(PUPPET).encode() in command and f"PUPPET_OF={folder}".encode() in environment:
                found.append(int(entry))
    return found
