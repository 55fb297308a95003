"""A sweep that is stopped goes on where it was, and ends with the same bytes as one that ran through."""

import os
import signal
import subprocess
import sys

import msgspec
import pytest

from tests.support.waiting import eventually
from tests.sweeps.trials import a_document, files_of, parsed, ran
from wavetank.errors import InputError
from wavetank.experiments.runner import FailedRunsError
from wavetank.sweeps.runner import run_sweep

SWEEP = {"clusters": [{"name": "original"}, {"name": "half", "nodes": "-50%"}]}
SPEC = {"schedulers": [{"name": "default"}, {"name": "easy"}], "seeds": [1, 2], "sweep": SWEEP}


class StoppedError(Exception):
    pass


def stopping_after(runs):
    """Makes so many runs and then fails, as if the power had failed."""

    def execute(store, tasks):
        for i, task in enumerate(tasks):
            if i == runs:
                raise StoppedError
            yield task, store.make(task)

    return execute


def counting(made):
    def execute(store, tasks):
        for task in tasks:
            made.append(task.key)
            yield task, store.make(task)

    return execute


def test_what_is_finished_is_not_made_again(tmp_path):
    ran(tmp_path / "through", **SPEC)
    with pytest.raises(StoppedError):
        ran(tmp_path / "out", stopping_after(3), **SPEC)
    assert not (tmp_path / "out/summary.csv").exists()
    made = []
    ran(tmp_path / "out", counting(made), **SPEC)
    assert len(made) == 8 - 3
    assert files_of(tmp_path / "out") == files_of(tmp_path / "through")


def test_more_seeds_make_only_what_is_new(tmp_path):
    ran(tmp_path / "out", **SPEC)
    made = []
    ran(tmp_path / "out", counting(made), **{**SPEC, "seeds": [1, 2, 3]})
    assert len(made) == 4
    made.clear()
    ran(tmp_path / "out", counting(made), **{**SPEC, "seeds": [1]})
    assert made == []
    assert len(list((tmp_path / "out/.runs").iterdir())) == 4


def test_killed_in_the_middle(tmp_path):
    """The command itself, with SIGKILL to all of its processes."""
    slow = {"kind": "burst", "pods": 100, "duration": {"uniform": [5, 30]}, "requests": {"cpu": 1}}
    document = a_document(**{**SPEC, "workload": {"generator": slow}, "seeds": "1-4"})
    (tmp_path / "e.yaml").write_bytes(msgspec.yaml.encode(document))
    command = [sys.executable, "-m", "wavetank", "sweep", str(tmp_path / "e.yaml"), "--jobs", "2", "-o"]
    process = subprocess.Popen([*command, tmp_path / "out"], start_new_session=True, stderr=subprocess.DEVNULL)
    eventually(lambda: list((tmp_path / "out/.runs").glob("[0-9a-f]*")))
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    there = len(list((tmp_path / "out/.runs").glob("[0-9a-f]*")))
    assert there > 0
    for out in ("out", "through"):
        subprocess.run([*command, tmp_path / out], check=True, capture_output=True, timeout=300)
    assert files_of(tmp_path / "out") == files_of(tmp_path / "through")


def test_a_scheduler_that_fails_leaves_the_others_their_results(tmp_path):
    class Broken:
        def score(self, pod, node):
            raise ValueError("no")

    schedulers = [{"name": "broken", "python": Broken}, {"name": "default"}]
    with pytest.raises(FailedRunsError, match="policy broken failed on pod"):
        ran(tmp_path / "out", schedulers=schedulers)
    assert b"broken" not in files_of(tmp_path / "out")["summary.csv"]


def test_a_folder_with_something_else_is_refused(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out/thesis.doc").write_text("years of work")
    with pytest.raises(InputError, match="is a folder with something else in it"):
        run_sweep(parsed(), tmp_path / "out", "0.0", counting([]))
