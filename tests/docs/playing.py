"""Doing what a page says, in a folder."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.docs.pages import Step, fits

_PATIENCE_S = 600


class PageRun:
    """Does the steps of a page one after the other, as a reader in a terminal of 80 columns would."""

    def __init__(self, folder: Path, path: list[str]) -> None:
        self._folder = folder
        found = os.pathsep.join([*path, str(Path(sys.executable).parent), os.environ["PATH"]])
        self._environment = {**os.environ, "PATH": found, "COLUMNS": "80", "NO_COLOR": "1"}
        self._status = 0
        self.complaint = ""
        self._behind: list[subprocess.Popen[str]] = []

    def play(self, step: Step) -> list[str]:
        """Does a step and returns the lines that it printed."""
        if step.kind == "file":
            place = self._folder / step.name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(step.text, encoding="utf-8")
            return []
        if step.kind == "python":
            return self._run([sys.executable, "-c", step.text])
        if step.text.startswith("export "):
            name, _, value = step.text.removeprefix("export ").partition("=")
            self._environment[name] = value.replace("$PWD", str(self._folder))
            return []
        if step.text.endswith("&"):
            return self._start(step)
        return self._run(["bash", "-c", f"(exit {self._status}); {step.text}"])

    @property
    def status(self) -> int:
        """Returns the exit status of the last command."""
        return self._status

    def end(self) -> None:
        """Ends what still runs in the background."""
        for program in self._behind:
            os.killpg(program.pid, signal.SIGTERM)
            program.communicate(timeout=30)

    def _run(self, command: list[str]) -> list[str]:
        with one_core():
            done = subprocess.run(
                command, cwd=self._folder, env=self._environment, capture_output=True, text=True, timeout=_PATIENCE_S
            )
        self._status = done.returncode
        self.complaint = done.stderr
        return done.stdout.splitlines()

    def _start(self, step: Step) -> list[str]:
        """Starts a program in the background, and reads as much as the page shows of it."""
        command = ["bash", "-c", f"exec {step.text.removesuffix('&')}"]
        program = subprocess.Popen(
            command, cwd=self._folder, env=self._environment, stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        self._behind.append(program)
        self._status, self.complaint = 0, ""
        assert program.stdout is not None
        return [program.stdout.readline().rstrip("\n") for _ in step.printed or ()]


@contextmanager
def one_core() -> Iterator[None]:
    """Gives programs that start meanwhile one core: runs of a page are short, and a process for each costs more."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {random.choice(sorted(cores))})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


@contextmanager
def playing(folder: Path, path: list[str]) -> Iterator[PageRun]:
    """Gives a player whose programs end with it."""
    player = PageRun(folder, path)
    try:
        yield player
    finally:
        player.end()


def check(steps: list[Step], player: PageRun) -> dict[Step, list[str]]:
    """Plays the steps; returns those that printed something else than shown, with what they printed."""
    others: dict[Step, list[str]] = {}
    for at, step in enumerate(steps):
        printed = player.play(step)
        asked = at + 1 < len(steps) and steps[at + 1].text == "echo $?"
        assert player.status == 0 or asked, f"line {step.line + 1}: status {player.status}: {player.complaint}"
        if step.printed is not None and not fits(step.printed, printed):
            others[step] = printed
    return others
