"""A server of wavetank that tells how long its event loop stood still: what bench/stalls.py and stalldoors.py attack.

The first argument is a file of two numbers, in which the longest gaps between two ticks of the loop are kept until they
are read: in seconds of the process's CPU time, which does not depend on what else the machine does, and of real time.
`--blame S` prints the stacks of all threads whenever the loop has stood still for so much CPU time.
"""

from __future__ import annotations

import asyncio
import faulthandler
import mmap
import signal
import struct
import sys
import time
from pathlib import Path
from socket import socket

from wavetank.apiserver.http.server import Server
from wavetank.cli.main import main

TICK_S = 0.001
GAPS = struct.Struct("dd")


class Ticker:
    """Ticks in the event loop, and keeps the longest gaps."""

    def __init__(self, file: Path, blame_s: float) -> None:
        with file.open("r+b") as opened:
            self._gaps = mmap.mmap(opened.fileno(), GAPS.size)
        self._blame_s = blame_s
        if blame_s:
            faulthandler.register(signal.SIGPROF)  # of all threads, even if one of them holds the interpreter's lock

    def start(self) -> None:
        """Begins to tick: what the server did before does not count."""
        self._last = time.process_time(), time.perf_counter()
        self.tick()

    def tick(self) -> None:
        """Compares the time with that of the last tick, and sets the next one."""
        now = time.process_time(), time.perf_counter()
        longest = GAPS.unpack(self._gaps[: GAPS.size])
        gaps = (max(known, end - start) for known, end, start in zip(longest, now, self._last, strict=True))
        self._gaps[: GAPS.size] = GAPS.pack(*gaps)
        self._last = now
        if self._blame_s:
            signal.setitimer(signal.ITIMER_PROF, self._blame_s)
        asyncio.get_running_loop().call_later(TICK_S, self.tick)


def serve(file: Path, blame_s: float, words: list[str]) -> None:
    """Runs a command of wavetank with a ticker in the loop of its server."""
    ticker, startup = Ticker(file, blame_s), Server.startup

    async def start_ticking(server: Server, sockets: list[socket] | None = None) -> None:
        await startup(server, sockets)
        asyncio.get_running_loop().call_soon(ticker.start)

    Server.startup = start_ticking  # type: ignore[method-assign]
    sys.argv = ["wavetank", *words]
    main()


if __name__ == "__main__":
    serve(Path(sys.argv[1]), float(sys.argv[2]), sys.argv[3:])
