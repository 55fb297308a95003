"""Outputs that cannot be written, memory that does not suffice, folders that are in use: one message, exit status 2."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.commands import Wavetank, an_experiment
from tests.support.waiting import PATIENCE_S
from wavetank.errors import InputError
from wavetank.files import TemporaryFolder, held_alone, writing_into

COMMAND = [sys.executable, "-m", "wavetank"]
FULL = Path("/dev/full")


@pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("words", [["schedulers"], ["--help"]], ids=lambda words: words[0])
def test_output_on_a_full_disk_is_one_message(words: list[str]) -> None:
    with FULL.open("w") as full:
        ended = subprocess.run([*COMMAND, *words], stdout=full, stderr=subprocess.PIPE, text=True, timeout=PATIENCE_S)
    assert (ended.returncode, ended.stderr) == (2, "the output cannot be written: No space left on device\n")


def test_what_cannot_be_written_is_named(tmp_path: Path) -> None:
    problem = "somewhere: cannot be written: No space left on device"
    with pytest.raises(InputError, match=problem), writing_into(Path("somewhere")):
        raise OSError(28, "No space left on device")
    with pytest.raises(BrokenPipeError), writing_into(tmp_path):
        raise BrokenPipeError


def test_two_sweeps_do_not_write_into_one_folder(wavetank: Wavetank, here: Path) -> None:
    sweep = {"scenarios": [{"name": "a"}, {"name": "b"}]}
    an_experiment(here, sweep=sweep)
    (here / "out" / ".runs").mkdir(parents=True)
    with held_alone(here / "out" / ".runs", InputError("taken")):
        ended = wavetank("sweep", "e.yaml", "-o", "out")
    assert (ended.status, ended.err) == (2, "out: another sweep writes into this folder\n")
    assert wavetank("sweep", "e.yaml", "-o", "out").status == 0


def test_a_sweep_that_cannot_write_says_so(wavetank: Wavetank, here: Path) -> None:
    an_experiment(here, sweep={"scenarios": [{"name": "a"}, {"name": "b"}]})
    ended = wavetank("sweep", "e.yaml", "-o", "/proc/no/such")
    assert (ended.status, ended.err) == (2, "/proc/no/such: cannot be written: No such file or directory\n")


@pytest.mark.parametrize("pods", [10**12, 1e30])
def test_more_pods_than_can_be_are_refused(wavetank: Wavetank, here: Path, pods: float) -> None:
    an_experiment(here, workload={"generator": {"kind": "burst", "pods": pods, "duration": 1, "requests": {"cpu": 1}}})
    ended = wavetank("run", "e.yaml")
    assert ended.status == 2
    assert "spec.workload.generator.pods: expected a whole number, 1 to 1000000000" in ended.err


def test_a_small_file_is_read_with_little_memory(tmp_path: Path) -> None:
    (tmp_path / "n.yaml").write_text("{apiVersion: v1, kind: Node, metadata: {name: n}, status: {capacity: {cpu: 4}}}")
    gigabyte = 1_000_000_000
    ended = subprocess.run(
        [*COMMAND, "inspect", "n.yaml"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (gigabyte, gigabyte)),
    )
    assert (ended.returncode, ended.stderr) == (0, "")


def test_memory_that_does_not_suffice_is_one_message(tmp_path: Path) -> None:
    (tmp_path / "greedy.py").write_text("big = bytearray(10 ** 15)")
    an_experiment(tmp_path, schedulers=[{"name": "mine", "python": "greedy:Policy"}])
    ended = subprocess.run(
        [*COMMAND, "run", "e.yaml"], cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE_S
    )
    assert (ended.returncode, len(ended.stderr.splitlines())) == (2, 1), ended.stderr


def test_a_temporary_folder_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wavetank.files.gettempdir", lambda: str(tmp_path))
    folder = TemporaryFolder()
    assert folder.path.is_dir()
    folder.remove()
    assert not folder.path.exists()
