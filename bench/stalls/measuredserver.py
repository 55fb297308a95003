"""A server of wavetank that tells how long its event loop stood still: what single.py, doors.py and bursts.py attack.

The first argument is a file of two numbers, in which the longest gaps between two ticks of the loop are kept until they
are read: in seconds of the process's CPU time, which does not depend on what else the machine does, and of real time.
`--blame S` prints what the server did in each gap of more CPU time: samples of its stacks, and collections of garbage.
"""

from __future__ import annotations

import asyncio
import faulthandler
import gc
import mmap
import signal
import struct
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from socket import socket

from wavetank.apiserver.http.server import Server
from wavetank.cli.main import main

TICK_S = 0.001
GAPS = struct.Struct("dd")
_SAMPLE_S = 0.005  # of CPU time between two samples of a gap
_FRAMES = 6  # of a sampled stack


class Samples:
    """What the process does in a long gap: the stacks of the thread at work every few milliseconds of CPU time.

    They are taken even in the middle of long functions written in C. This is not quite safe while greenlets are
    switched, so none are taken in the first `after_s` of a gap.
    """

    def __init__(self, after_s: float) -> None:
        self._after_s = after_s
        self._file = tempfile.TemporaryFile("w+b", buffering=0)  # noqa: SIM115, as long as the process
        self._collecting, self._began = 0.0, 0.0
        faulthandler.register(signal.SIGPROF, self._file, all_threads=False)
        gc.callbacks.append(self._collected)

    def _collected(self, phase: str, _: dict[str, int]) -> None:
        now = time.process_time()
        if phase == "start":
            self._began = now
        else:
            self._collecting += now - self._began

    def take(self) -> str:
        """Returns the samples since the last call, the most frequent first."""
        signal.setitimer(signal.ITIMER_PROF, self._after_s, _SAMPLE_S)
        self._file.seek(0)
        text = self._file.read().decode()
        collecting, self._collecting = self._collecting, 0.0
        self._file.seek(0)
        self._file.truncate()
        stacks = Counter("\n".join(each.splitlines()[1:][:_FRAMES]) for each in text.split("Stack ")[1:])
        lines = [f"{number} samples\n{stack}" for stack, number in stacks.most_common()]
        return "\n".join([*lines, f"collections of garbage: {collecting:.3f} s"])


class Ticker:
    """Ticks in the event loop, and keeps the longest gaps."""

    def __init__(self, file: Path, blame_s: float) -> None:
        with file.open("r+b") as opened:
            self._gaps = mmap.mmap(opened.fileno(), GAPS.size)
        self._blame_s = blame_s
        self._samples = Samples(blame_s) if blame_s else None

    def start(self) -> None:
        """Begins to tick: what the server did before does not count."""
        self._last = time.process_time(), time.perf_counter()
        self.tick()

    def tick(self) -> None:
        """Compares the time with that of the last tick, and sets the next one."""
        now = time.process_time(), time.perf_counter()
        longest = GAPS.unpack(self._gaps[: GAPS.size])
        gaps = [end - start for end, start in zip(now, self._last, strict=True)]
        self._gaps[: GAPS.size] = GAPS.pack(*map(max, longest, gaps))
        if self._samples is not None:
            found = self._samples.take()
            if gaps[0] > self._blame_s:
                print(f"--- {gaps[0]:.3f} s of CPU time\n{found}", file=sys.stderr, flush=True)
            now = time.process_time(), time.perf_counter()
        self._last = now
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
