from __future__ import annotations

import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from wavetank.kernel.durations import SECOND
from wavetank.loop.errors import ProcessError
from wavetank.loop.processes.process import Start
from wavetank.loop.processes.unmodified import UnmodifiedProcess
from wavetank.loop.tracing import clockpage
from wavetank.loop.transport.listener import Listener

SLEEPER = str(Path(__file__).with_name("sleeper.py"))


def play(command, log):
    """Lets a program alone on its clock, jumping from timer to timer until it ends."""
    sock = socket.create_server(("127.0.0.1", 0))
    listener = Listener(sock, lambda connection, request: None)
    start = Start([*command, str(sock.getsockname()[1])], {}, log, 0, -600 * SECOND, 20)
    process = UnmodifiedProcess("sleeper", start, [listener])
    try:
        with pytest.raises(ProcessError, match="has exited with status 0"):
            jump_on(process)
    finally:
        process.close()
        listener.close()


def jump_on(process):
    while True:
        due = process.wait()
        process.set_clock(due)
        process.resume(due)


@pytest.mark.parametrize(
    "command",
    [
        pytest.param([sys.executable, SLEEPER], id="itself"),
        pytest.param(["/usr/bin/env", sys.executable, SLEEPER], id="through env, which becomes it"),
        pytest.param(
            ["/bin/sh", "-c", f'"{sys.executable}" "{SLEEPER}" $0; true'], id="through a shell that waits for it"
        ),
    ],
)
def test_waits_of_an_hour_last_exactly_as_long_in_virtual_time(command, tmp_path):
    play(command, tmp_path / "log")
    lines = (tmp_path / "log").read_text().splitlines()
    assert len(lines) == 16
    for line in lines:
        *_, asked, by_calendar, by_stopwatch = line.split()
        assert float(by_calendar) == pytest.approx(float(asked), abs=0.0011), line
        assert float(by_stopwatch) == pytest.approx(float(asked), abs=0.0011), line


SHELL = """
exec 3<>/dev/tcp/127.0.0.1/$0
before=$(date +%s)
(sleep 3600; sleep 1800)
echo children $(( $(date +%s) - before ))
sleep 7200 & sleep 60; kill $!; wait
echo killed $(( $(date +%s) - before ))
"PYTHON" -c 'import os, threading; threading.Thread(target=os.system, args=["sleep 600"]).start()'
echo thread $(( $(date +%s) - before ))
"""


def test_programs_that_it_starts_later_have_its_clock_and_are_waited_for(tmp_path):
    if not shutil.which("bash"):
        pytest.skip("there is no bash here")
    play(["bash", "-c", SHELL.replace("PYTHON", sys.executable)], tmp_path / "log")
    assert (tmp_path / "log").read_text().splitlines() == ["children 5400", "killed 5460", "thread 6060"]


def test_a_program_may_sleep_before_it_connects(tmp_path):
    play([sys.executable, "-c", f"import time; time.sleep(0.1); exec(open({SLEEPER!r}).read())"], tmp_path / "log")
    assert len((tmp_path / "log").read_text().splitlines()) == 16


def test_what_is_written_into_programs_is_what_the_assembler_says(tmp_path):
    if not shutil.which("as") or not shutil.which("objcopy"):
        pytest.skip("there is no assembler here")
    source = Path(clockpage.__file__).with_name("clock.S")
    subprocess.run(["as", source, "-o", tmp_path / "clock.o"], check=True)
    subprocess.run(["objcopy", "-O", "binary", "-j", ".text", tmp_path / "clock.o", tmp_path / "code"], check=True)
    assert (tmp_path / "code").read_bytes() == clockpage.CODE
