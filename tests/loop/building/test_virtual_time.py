"""A program that is built with the overlay lives in virtual time, to the nanosecond and repeatably."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from wavetank.apiserver.requests.request import Request, Response
from wavetank.loop.building.cache import Cache
from wavetank.loop.building.overlay import write_overlay
from wavetank.loop.building.toolchain import find_toolchain
from wavetank.loop.errors import ProcessError
from wavetank.loop.processes.process import Process, Start
from wavetank.loop.transport.connection import Connection
from wavetank.loop.transport.listener import Listener

pytestmark = [
    pytest.mark.skipif(not os.environ.get("WAVETANK_ALL"), reason="compiles Go's library: make test-all"),
    pytest.mark.skipif(shutil.which("go") is None or sys.platform != "linux", reason="needs Go on Linux"),
]


@pytest.fixture(scope="module")
def sleeper(tmp_path_factory):
    toolchain = find_toolchain(os.environ.get("WAVETANK_GO"))
    overlay = write_overlay(toolchain, Cache().folder / "overlays")
    built = tmp_path_factory.mktemp("sleeper") / "sleeper"
    command = [toolchain.command, "build", "-trimpath", f"-overlay={overlay}", "-o", built, "."]
    subprocess.run(command, cwd=Path(__file__).with_name("sleeper"), env=toolchain.environment, check=True)
    return built


def play(program: Path, folder: Path) -> tuple[str, list[tuple[int, str]]]:
    """Takes turns with the program until it ends; returns its log, and what it asked at what time."""
    asked: list[tuple[int, str]] = []
    now = 0

    def serve(connection: Connection, request: Request) -> None:
        asked.append((now, request.path))
        connection.answer(Response(200, [("content-type", "text/plain")], b"well"))

    folder.mkdir()
    sock = socket.socket(socket.AF_UNIX)
    sock.bind(str(folder / "127.87.0.1"))
    listener = Listener(sock, serve)
    start = Start([str(program), "http://127.87.0.1"], {"WAVETANK_DOORS": str(folder)}, folder / "log", 1, 0, 60)
    process = Process("sleeper", start, [listener])

    def take_turns() -> None:
        nonlocal now
        while True:
            due = process.wait()
            if not listener.read():
                assert due is not None
                now = max(now, due)
            listener.flush()
            process.resume(now)

    try:
        with pytest.raises(ProcessError, match="has exited with status 0") as ended:
            take_turns()
        return ended.value.tail, asked
    finally:
        process.close()
        listener.close()


def test_sleeps_are_exact_and_requests_repeat_themselves(sleeper, tmp_path):
    runs = [play(sleeper, tmp_path / str(number)) for number in range(3)]
    log, asked = runs[0]
    assert log == "inexact: 0"
    assert len(asked) == 50
    assert asked[-1][0] > 60 * 10**9
    assert all(run == runs[0] for run in runs)
