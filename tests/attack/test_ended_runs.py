"""Runs that are ended from outside: their workers end with them, and nothing is left."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.cli.commands import an_experiment, names_in
from tests.cli.test_processes import SLOW, begun
from tests.support.objects import pod_manifest
from tests.support.waiting import PATIENCE_S, eventually
from wavetank.files import locked
from wavetank.results.write.outfolder import remove_leftovers

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="workers end with their parent on Linux")


def is_alive(pid: int) -> bool:
    with suppress(ProcessLookupError):
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


@contextmanager
def default_action(number: signal.Signals) -> Iterator[None]:
    """Lets programs that are started here have the default action of a signal: nohup ignores SIGHUP."""
    before = signal.signal(number, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(number, before)


@pytest.mark.parametrize(
    ("command", "ended_by"),
    [
        ("run", signal.SIGTERM),
        ("run", signal.SIGHUP),
        ("run", signal.SIGKILL),
        ("sweep", signal.SIGTERM),  # the others, also with programs in the loop: make attack
    ],
    ids=str,
)
def test_the_workers_of_a_run_end_with_it(tmp_path: Path, command: str, ended_by: signal.Signals) -> None:
    (tmp_path / "slow.py").write_text(SLOW)
    pods = [pod_manifest(f"p{i}", cpu="1m", memory=None, duration="1") for i in range(500)]
    (tmp_path / "pods.yaml").write_text("\n---\n".join(map(json.dumps, pods)))
    sweep = {"scenarios": [{"name": "a"}, {"name": "b"}]} if command == "sweep" else None
    experiment = an_experiment(
        tmp_path,
        workload={"file": "pods.yaml"},
        schedulers=[{"name": "slow", "python": "slow:Slow"}],
        seeds="1-4",
        sweep=sweep,
    )
    words = [sys.executable, "-m", "wavetank", command, experiment, "-o", "a/out", "--jobs", "2"]
    with default_action(signal.SIGHUP):
        process = subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    pids = begun(tmp_path, 2)
    process.send_signal(ended_by)  # to it alone, not to its group
    status = process.wait(PATIENCE_S)
    assert status == (-ended_by if ended_by is signal.SIGKILL else 128 + ended_by)
    eventually(lambda: not any(map(is_alive, pids)), "workers are left")
    if ended_by is not signal.SIGKILL:
        left = list(tmp_path.rglob(".wavetank*")) + list(tmp_path.rglob(".unfinished*"))
        assert not left
        assert command == "sweep" or "a" not in names_in(tmp_path)


def test_a_worker_that_is_asked_to_end_removes_its_temporary_files(tmp_path: Path) -> None:
    script = (
        "import os, time\n"
        "from wavetank.files import TemporaryFolder\n"
        "from wavetank.kernel.lifetime import begin_worker, work\n"
        "def run():\n"
        "    folder = TemporaryFolder()\n"
        "    try:\n"
        "        print('begun', flush=True)\n"
        "        time.sleep(600)\n"
        "    finally:\n"
        "        folder.remove()\n"
        "begin_worker(os.getppid())\n"
        "work(run)\n"
    )
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    worker = subprocess.Popen([sys.executable, "-c", script], env=environment, stdout=subprocess.PIPE, text=True)
    assert worker.stdout is not None
    assert worker.stdout.readline() == "begun\n"
    assert len(names_in(tmp_path)) == 1
    worker.terminate()
    worker.communicate(timeout=PATIENCE_S)
    assert (worker.returncode, names_in(tmp_path)) == (143, [])


def test_what_a_killed_run_has_left_is_removed_by_the_next_one(tmp_path: Path) -> None:
    dead, alive, foreign = (tmp_path / f".wavetank-{name}" for name in ("dead", "alive", "foreign"))
    for folder in (dead, alive, foreign):
        folder.mkdir()
    (dead / "lock").touch()
    long_ago = time.time() - 3600
    with locked(alive / "lock"):
        for folder in (dead, alive, foreign):
            os.utime(folder, (long_ago, long_ago))
        remove_leftovers(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".wavetank-alive", ".wavetank-foreign"]
