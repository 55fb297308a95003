"""What only a process of its own shows: signals, pipes, imports."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.commands import an_experiment, names_in
from tests.support.objects import pod_manifest
from tests.support.waiting import PATIENCE_S, eventually

WAVETANK = [sys.executable, "-m", "wavetank"]
FEATURES = (
    "wavetank.microservices",
    "wavetank.network",
    "wavetank.verification",
    "wavetank.controllers.clusterautoscaler",
    "wavetank.controllers.karpenter.karpenter",
    "wavetank.controllers.machines",
    "wavetank.simulation.scaling.nodegroups",
    "wavetank.simulation.scaling.nodepools",
    "wavetank.simulation.programs",
    "wavetank.nodes.k8ssim.kubelets",
)
SLOW = """
import os, time

class Slow:
    def score(self, pod, node):
        open(f"begun-{os.getpid()}", "a").close()
        time.sleep(0.05)
        return 1
"""


@pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
@pytest.mark.parametrize("workers", ["1", "2"])
def test_an_interrupted_run_leaves_nothing(tmp_path: Path, workers: str) -> None:
    (tmp_path / "slow.py").write_text(SLOW)
    pods = [pod_manifest(f"p{i}", cpu="1m", memory=None, duration="1") for i in range(500)]
    (tmp_path / "pods.yaml").write_text("\n---\n".join(map(json.dumps, pods)))
    experiment = an_experiment(
        tmp_path, workload={"file": "pods.yaml"}, schedulers=[{"name": "slow", "python": "slow:Slow"}], seeds="1-4"
    )
    command = [*WAVETANK, "run", experiment, "-o", "a/out", "--jobs", workers]
    process = subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    pids = begun(tmp_path, int(workers))
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: every process of the group hears it
    _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert err.splitlines()[-1] == "interrupted"
    left = {name for name in names_in(tmp_path) if not name.startswith("begun")}
    assert left - {"__pycache__"} == {"e.yaml", "pods.yaml", "slow.py"}
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def begun(folder: Path, number: int) -> list[int]:
    """Waits until so many processes are in the middle of a run, and returns their ids."""
    eventually(lambda: len(list(folder.glob("begun-*"))) >= number, "they have not all begun")
    return [int(path.name.partition("-")[2]) for path in folder.glob("begun-*")]


@pytest.mark.parametrize("command", ["schedulers", "--help"])
def test_a_reader_that_has_seen_enough(command: str) -> None:
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as pipe:
        ended = subprocess.run([*WAVETANK, command], stdout=pipe, stderr=subprocess.PIPE, text=True, check=False)
    assert ended.stderr == ""


def test_a_run_whose_output_is_not_read_is_still_written(tmp_path: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as pipe:
        command = [*WAVETANK, "run", an_experiment(tmp_path), "-o", "out"]
        ended = subprocess.run(command, cwd=tmp_path, stdout=pipe, stderr=subprocess.PIPE, text=True, check=False)
    assert "Traceback" not in ended.stderr
    assert (tmp_path / "out" / "report.html").is_file()


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["walk"]], ids=" ".join)
def test_what_computes_nothing_loads_nothing(words: list[str]) -> None:
    script = f"""
import sys
sys.argv = ["wavetank", *{words!r}]
from wavetank.cli.main import main
try:
    main()
except SystemExit:
    pass
heavy = {{"numpy", "numba", "yaml", "msgspec", "pandas", "polars"}} & set(sys.modules)
assert not heavy, heavy
"""
    subprocess.run([sys.executable, "-c", script], check=True, capture_output=True)


def test_a_plain_run_loads_no_feature_that_it_does_not_use(tmp_path: Path) -> None:
    command = [sys.executable, "-X", "importtime", "-m", "wavetank", "run", an_experiment(tmp_path), "-o", "out"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    lines = (line for line in ended.stderr.splitlines() if line.startswith("import time:"))
    loaded = {line.rpartition("|")[2].strip() for line in lines}
    assert "wavetank.simulation.simulation" in loaded
    assert not {name for name in loaded if name.startswith(FEATURES)}


def test_a_terminal_that_knows_no_unicode(tmp_path: Path) -> None:
    ended = subprocess.run(
        [*WAVETANK, "run", an_experiment(tmp_path), "-o", "out", "--seeds", "1-3"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=False,
    )
    assert (ended.returncode, b"Traceback" in ended.stderr) == (0, False)


def test_the_module_is_the_command() -> None:
    ended = subprocess.run([*WAVETANK, "--version"], capture_output=True, text=True, check=True)
    assert ended.stdout.startswith("wavetank ")
