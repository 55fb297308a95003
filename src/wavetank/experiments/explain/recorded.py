from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np

from wavetank.errors import InputError
from wavetank.experiments.explain.columns import ColumnReader
from wavetank.experiments.explain.explanation import Explanation, Number, Refusal
from wavetank.experiments.explain.recording import FILE, LISTS, NOTHING, NUMBERS, Index
from wavetank.experiments.runfolder import RunFolder, runs_in
from wavetank.scheduling.config.reading import suggest


def read_recorded(out: Path, pod: str, scheduler: str | None = None, seed: int | None = None) -> list[Explanation]:
    """Returns the recorded attempts at a pod (name, or namespace/name) in a folder of results, or of one run in it.

    `scheduler` and `seed` tell which run; InputError if there is none, more than one, or it was not recorded.
    """
    run = _the_run(out, scheduler, seed)
    path = run.path / FILE
    if not path.is_file():
        raise InputError("no attempts were recorded: run it with --explain", source=str(run.path))
    return RecordedAttempts(path).of(pod if "/" in pod else f"default/{pod}")


class RecordedAttempts:
    """The attempts of one run, read from its file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._reader = ColumnReader(path)
        try:
            self.index = msgspec.json.decode(self._reader.index, type=Index)
        except msgspec.DecodeError as error:
            raise InputError(f"not a recording of attempts: {error}", source=str(path)) from None

    def of(self, pod: str) -> list[Explanation]:
        """Returns the attempts at a pod in their order; InputError if there is none."""
        if pod not in self.index.pods:
            raise InputError(f"no attempt at {pod!r:.80}{suggest(pod, self.index.pods)}", source=str(self._path))
        wanted = self.index.pods.index(pod)
        return [told for block in range(self.index.blocks) for told in self._in_block(block, wanted)]
