"""A program is taken for quiet only if nothing in it can go on, however slow its threads are."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from wavetank.kernel.durations import SECOND
from wavetank.loop.building import edits
from wavetank.loop.building.overlay import write_overlay
from wavetank.loop.building.toolchain import find_toolchain
from wavetank.loop.processes.process import Process, Start

pytestmark = [
    pytest.mark.skipif(not os.environ.get("WAVETANK_ALL"), reason="compiles Go's library: make test-all"),
    pytest.mark.skipif(shutil.which("go") is None or sys.platform != "linux", reason="needs Go on Linux"),
]

# Between leaving a system call without a P and taking the lock of the run queue.
RETURNS = re.compile(r"\tdropg\(\)\n(?=\tlock\(&sched\.lock\)\n\t(decG|sched\.nG|var pp))")
PAUSE = "\tdropg()\n\tif virtual.on {\n\t\tusleep(300 * 1000)\n\t}\n"


@pytest.fixture
def returner(tmp_path, monkeypatch):
    """Builds the program with a runtime that takes Ps from system calls at once, and pauses where threads come back."""
    toolchain = find_toolchain(os.environ.get("WAVETANK_GO"))
    monkeypatch.setattr(edits, "_PATIENT", re.sub(r"5000\*1000\*1000", "1", edits._PATIENT))
    overlay = write_overlay(toolchain, tmp_path)
    scheduler = Path(json.loads(overlay.read_text())["Replace"][f"{toolchain.root}/src/runtime/proc.go"])
    text, count = RETURNS.subn(PAUSE, scheduler.read_text())
    assert count == 1
    scheduler.write_text(text)
    built = tmp_path / "returner"
    command = [toolchain.command, "build", "-trimpath", f"-overlay={overlay}", "-o", built, "."]
    subprocess.run(command, cwd=Path(__file__).with_name("returner"), env=toolchain.environment, check=True)
    return built


def test_a_goroutine_that_comes_back_from_a_system_call_is_not_overlooked(returner, tmp_path):
    process = Process("returner", Start([str(returner)], {}, tmp_path / "log", 1, 0, 20), [])
    try:
        due = process.wait()
    finally:
        process.close()
    assert due is not None  # it sleeps for a second, after its system call
    assert due == pytest.approx(SECOND, abs=1000)
