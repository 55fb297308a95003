"""Runs, sweeps and servers that are ended at random moments: nothing is left of them."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random

from tests.attack.campaign.outcome import Budget, Outcome
from tests.attack.test_ended_runs import is_alive
from tests.cli.commands import a_document

_SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGKILL)
_PATIENCE_S = 60


def attack(random: Random, budget: Budget) -> Outcome:
    """Ends commands by signals."""
    outcome = Outcome("commands ended by a signal at a random moment")
    while budget.left():
        with tempfile.TemporaryDirectory() as folder:
            _end_one(random, Path(folder), outcome)
        outcome.ran += 1
    return outcome


def _end_one(random: Random, folder: Path, outcome: Outcome) -> None:
    kind, number = random.choice(["run", "sweep", "serve"]), random.choice(_SIGNALS)
    (folder / "tmp").mkdir()
    environment = {**os.environ, "TMPDIR": str(folder / "tmp")}
    process = subprocess.Popen(
        [sys.executable, "-m", "wavetank", *_words(kind, random, folder)],
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=_usual_actions,
    )
    time.sleep(random.choice([0.05, 0.5, 2, 4]) * random.random())
    children = _descendants(process.pid)
    process.send_signal(number)
    what = f"{kind} ended by {number.name}"
    try:
        _, errors = process.communicate(timeout=_PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        outcome.check(False, f"{what}: is still there after {_PATIENCE_S} s")
        return
    running = re.search(r'main\.py", line \d+, in main', errors)  # else Python was still importing
    early = errors.rstrip().endswith("KeyboardInterrupt") and running is None
    outcome.check("Traceback" not in errors or early, f"{what}: {errors[-300:]}")
    end = time.monotonic() + _PATIENCE_S
    while any(map(is_alive, children)) and time.monotonic() < end:
        time.sleep(0.1)
    outcome.check(not any(map(is_alive, children)), f"{what}: processes are left")
    if number is not signal.SIGKILL:
        left = [
            path.name for path in folder.rglob("*") if path.name.startswith((".wavetank", ".unfinished", "wavetank-"))
        ]
        outcome.check(not left, f"{what}: files are left: {left}")


def _words(kind: str, random: Random, folder: Path) -> list[str]:
    if kind == "serve":
        return ["serve", "--port", "0", "--speed", "max"]
    workload = {
        "generator": {"kind": "poisson", "pods": 20_000, "rate": 10, "duration": 60, "requests": {"cpu": "10m"}}
    }
    sweep = {"sweep": {"scenarios": [{"name": "a"}, {"name": "b"}]}} if kind == "sweep" else {}
    schedulers = [{"name": "default"}] if random.random() < 0.5 else [{"name": "worst-fit"}, {"name": "easy"}]
    document = a_document(workload=workload, seeds="1-4", schedulers=schedulers, **sweep)
    (folder / "e.yaml").write_text(json.dumps(document))
    return [kind, "e.yaml", "-o", "a/out", "--jobs", "2"]


def _usual_actions() -> None:
    for number in _SIGNALS[:3]:
        signal.signal(number, signal.SIG_DFL)


def _descendants(pid: int) -> list[int]:
    """Returns the processes that a process and its children have started."""
    found, news = [], [pid]
    while news:
        parent = news.pop()
        try:
            children = [int(each) for each in Path(f"/proc/{parent}/task/{parent}/children").read_text().split()]
        except OSError:
            children = []
        found += children
        news += children
    return found
