from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import rmtree

import msgspec

from wavetank.errors import InputError
from wavetank.experiments.run import RunFailure, RunPlan, RunResult, try_run
from wavetank.files import held_alone

_RESULT = "result.json"
_UNFINISHED = ".unfinished-"


@dataclass(frozen=True)
class Task:
    """A run to make, and the key under which it is kept."""

    key: str
    plan: RunPlan


class RunStore:
    """Finished runs, each in a folder named by the hash of its inputs: complete, or not there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Makes the folder, and removes unfinished runs; InputError if another sweep uses it."""
        self.folder.mkdir(parents=True, exist_ok=True)
        problem = InputError("another sweep writes into this folder", source=str(self.folder.parent))
        with held_alone(self.folder, problem):
            for path in self.folder.glob(f"{_UNFINISHED}*"):
                rmtree(path)
            yield

    def has(self, key: str) -> bool:
        """Whether a run is finished."""
        return (self.folder / key / _RESULT).is_file()

    def result(self, key: str) -> RunResult:
        """Returns the result of a finished run."""
        return msgspec.json.decode((self.folder / key / _RESULT).read_bytes(), type=RunResult)

    def make(self, task: Task) -> RunResult | RunFailure:
        """Makes a run and keeps it, unless its scheduler fails."""
        unfinished = self.folder / f"{_UNFINISHED}{task.key}-{os.getpid()}"
        try:
            made = try_run(replace(task.plan, folder=unfinished))
        except BaseException:
            rmtree(unfinished, ignore_errors=True)
            raise
        if isinstance(made, RunResult):
            (unfinished / _RESULT).write_bytes(msgspec.json.encode(made))
            try:
                unfinished.rename(self.folder / task.key)
            except OSError:  # another process has made it meanwhile
                rmtree(unfinished)
        return made

    def link(self, key: str, place: Path) -> None:
        """Links the files of a run into the results, without copying them."""
        place.mkdir(parents=True)
        for path in sorted((self.folder / key).iterdir()):
            if path.name != _RESULT:
                os.link(path, place / path.name)

    def forget_all_but(self, keys: set[str]) -> None:
        """Removes all other runs."""
        for path in self.folder.iterdir():
            if path.name not in keys:
                rmtree(path)
