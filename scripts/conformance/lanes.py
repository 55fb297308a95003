"""Running tests in parallel lanes, each against a served cluster of its own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from conformance.building import Programs
from conformance.selection import name_of, specs_of
from wavetank.errors import WavetankError

_BATCH = 6  # tests per cluster: what one leaves behind disturbs only a few others
_NODES = 3
_START_S = 60
_SERVE = ["--port", "0", "--tls", "--admission", "full", "--authorization", "rbac"]
_NODE = """\
apiVersion: v1
kind: Node
metadata:
  name: node-{number}
  labels: {{kubernetes.io/hostname: node-{number}, kubernetes.io/os: linux, kubernetes.io/arch: amd64}}
status:
  allocatable: {{cpu: "8", memory: 32Gi, pods: "110", ephemeral-storage: 100Gi}}
  capacity: {{cpu: "8", memory: 32Gi, pods: "110", ephemeral-storage: 100Gi}}
  conditions: [{{type: Ready, status: "True"}}]
"""

_running: set[subprocess.Popen[bytes]] = set()


@dataclass(frozen=True)
class Outcome:
    """How a test ended: Ginkgo's word for it (passed, failed, timedout …), the wall time, and why it failed."""

    name: str
    state: str
    seconds: float
    problem: str = ""


@dataclass(frozen=True)
class Options:
    """Where lanes write their logs, and how long a batch of tests may take."""

    folder: Path
    timeout: str


def run_tests(
    programs: Programs, names: Sequence[str], lanes: int, options: Options, report: Callable[[Outcome], None]
) -> list[Outcome]:
    """Runs tests in lanes; `report` is called with each outcome, one at a time."""
    options.folder.mkdir(parents=True, exist_ok=True)
    batches: SimpleQueue[tuple[int, list[str]]] = SimpleQueue()
    for number, batch in enumerate(_batches(names)):
        batches.put((number, batch))
    outcomes: list[Outcome] = []
    lock = threading.Lock()

    def work() -> None:
        while True:
            try:
                number, batch = batches.get_nowait()
            except Empty:
                return
            for outcome in _run_batch(programs, batch, options.folder / f"{number:03}", options.timeout):
                with lock:
                    outcomes.append(outcome)
                    report(outcome)

    threads = [threading.Thread(target=work, daemon=True) for _ in range(min(lanes, batches.qsize()))]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:  # if it is interrupted, threads end without ending what they have started
        for process in list(_running):
            _end(process)
    return sorted(outcomes, key=lambda outcome: outcome.name)


def _batches(names: Sequence[str]) -> list[list[str]]:
    """Returns the slow tests first, each by itself, then the others."""
    slow = [name for name in names if "[Slow]" in name]
    quick = [name for name in names if "[Slow]" not in name]
    return [*([name] for name in slow), *(quick[i : i + _BATCH] for i in range(0, len(quick), _BATCH))]


def _run_batch(programs: Programs, names: Sequence[str], folder: Path, timeout: str) -> list[Outcome]:
    folder.mkdir(exist_ok=True)
    report = folder / "report.json"
    report.unlink(missing_ok=True)
    try:
        with (
            _cluster(folder) as kubeconfig,
            _process([*_command(programs, kubeconfig, names, timeout)], folder) as tests,
        ):
            tests.wait()
    except WavetankError as error:
        return [Outcome(name, "not run", 0, str(error)) for name in names]
    found = {name_of(spec): _outcome(spec) for spec in specs_of(report)} if report.exists() else {}
    return [found.get(name) or Outcome(name, "not run", 0, f"see {folder}/tests.log") for name in names]


def _command(programs: Programs, kubeconfig: Path, names: Sequence[str], timeout: str) -> Iterator[str]:
    yield str(programs.tests)
    yield from ("--provider=skeleton", f"--kubeconfig={kubeconfig}", f"--kubectl-path={programs.kubectl}")
    yield from ("--allowed-not-ready-nodes=-1", "--minStartupPods=0", "--ginkgo.no-color")
    yield f"--ginkgo.focus=({'|'.join(map(re.escape, names))})$"  # the name of the suite stands before it
    yield from (f"--ginkgo.timeout={timeout}", f"--ginkgo.json-report={kubeconfig.with_name('report.json')}")


def _outcome(spec: dict[str, Any]) -> Outcome:
    failure = spec.get("Failure") or {}
    place = failure.get("Location") or {}
    where = f"{Path(place['FileName']).name}:{place['LineNumber']}: " if place.get("FileName") else ""
    message = " ".join(failure.get("Message", "").split())[:300]
    problem = f"{where}{message}" if failure else ""
    return Outcome(name_of(spec), spec["State"], round(spec["RunTime"] / 1e9, 1), problem)


@contextmanager
def _cluster(folder: Path) -> Iterator[Path]:
    """Serves a cluster of three nodes; returns its kubeconfig."""
    nodes, kubeconfig = folder / "nodes.yaml", folder / "kubeconfig"
    nodes.write_text("---\n".join(_NODE.format(number=number) for number in range(_NODES)), encoding="utf-8")
    kubeconfig.unlink(missing_ok=True)
    command = [sys.executable, "-m", "wavetank", "serve", "--kubeconfig", str(kubeconfig), "--cluster", str(nodes)]
    with _process([*command, *_SERVE], folder, "serve.log") as server:
        deadline = time.monotonic() + _START_S
        while not kubeconfig.exists():
            if server.poll() is not None or time.monotonic() > deadline:
                raise WavetankError(f"wavetank serve did not start: see {folder}/serve.log")
            time.sleep(0.1)
        yield kubeconfig


@contextmanager
def _process(command: Sequence[str], folder: Path, log: str = "tests.log") -> Iterator[subprocess.Popen[bytes]]:
    """Runs a program, whose output goes to a log; it is ended with everything that it has started."""
    with (folder / log).open("wb") as file:
        process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.DEVNULL, stdout=file, stderr=file, start_new_session=True
        )
        _running.add(process)
        try:
            yield process
        finally:
            _end(process)
            _running.discard(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    for number in (signal.SIGINT, signal.SIGKILL):
        if process.poll() is None:
            os.killpg(process.pid, number)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                continue
