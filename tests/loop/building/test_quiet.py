"""However slow its threads are, a program is taken for quiet only if nothing in it can go on, and repeats itself."""

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
from wavetank.loop.errors import ProcessError
from wavetank.loop.processes.process import Process, Start

pytestmark = [
    pytest.mark.skipif(not os.environ.get("WAVETANK_ALL"), reason="compiles Go's library: make test-all"),
    pytest.mark.skipif(shutil.which("go") is None or sys.platform != "linux", reason="needs Go on Linux"),
]

# Between leaving a system call without a P and taking the lock of the run queue.
RETURNS = re.compile(r"\tdropg\(\)\n(?=\tlock\(&sched\.lock\)\n\t(decG|sched\.nG|var pp))")
PAUSE = "\tdropg()\n\tif virtual.on {\n\t\tusleep(300 * 1000)\n\t}\n"


# Before an idle thread can be found: if another one is needed then, it is created.
IDLES = re.compile(r"^func stopm\(\) \{\n\tgp := getg\(\)\n", re.MULTILINE)
SLOWLY = "\tif virtual.on {\n\t\tusleep(uint32(nanotime()/1000) % 3000)\n\t}\n"


def build(name: str, folder: Path, place: re.Pattern[str], instead: str) -> Path:
    """Builds a program with the overlay, whose scheduler is changed in one place."""
    toolchain = find_toolchain(os.environ.get("WAVETANK_GO"))
    overlay = write_overlay(toolchain, folder)
    scheduler = Path(json.loads(overlay.read_text())["Replace"][f"{toolchain.root}/src/runtime/proc.go"])
    text, count = place.subn(instead, scheduler.read_text())
    assert count == 1
    scheduler.write_text(text)
    built = folder / name
    command = [toolchain.command, "build", "-trimpath", f"-overlay={overlay}", "-o", built, "."]
    subprocess.run(command, cwd=Path(__file__).with_name(name), env=toolchain.environment, check=True)
    return built


def test_a_goroutine_that_comes_back_from_a_system_call_is_not_overlooked(tmp_path, monkeypatch):
    """Here the runtime takes Ps from system calls at once, and threads pause where they come back."""
    monkeypatch.setattr(edits, "_PATIENT", re.sub(r"5000\*1000\*1000", "1", edits._PATIENT))
    returner = build("returner", tmp_path, RETURNS, PAUSE)
    process = Process("returner", Start([str(returner)], {}, tmp_path / "log", 1, 0, 20), [])
    try:
        due = process.wait()
    finally:
        process.close()
    assert due is not None  # it sleeps for a second, after its system call
    assert due == pytest.approx(SECOND, abs=1000)


def test_addresses_do_not_depend_on_the_speed_of_threads(tmp_path):
    """Threads become idle at random times here; maps keyed by addresses keep their order."""
    addresses = build("addresses", tmp_path, IDLES, r"\g<0>" + SLOWLY)
    printed = {printed_by(addresses, tmp_path / "log") for _ in range(10)}
    assert len(printed) == 1
    assert printed.pop().endswith(" 1 CPU")


def printed_by(program: Path, log: Path) -> str:
    process = Process("addresses", Start([str(program)], {}, log, 1, 0, 20), [])
    try:
        with pytest.raises(ProcessError, match="has exited with status 0") as ended:
            run_to_the_end(process)
        return ended.value.tail
    finally:
        process.close()


def run_to_the_end(process: Process) -> None:
    while True:
        due = process.wait()
        assert due is not None
        process.resume(due)
