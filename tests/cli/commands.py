"""The command line as a user meets it: arguments in, text and exit status out."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    status: int
    out: str
    err: str


Wavetank = Callable[..., Ended]


def a_document(**spec: Any) -> dict[str, Any]:
    """Returns an experiment of a few pods on two nodes, with some fields of its spec replaced."""
    usual = {
        "cluster": {"nodes": [{"count": 2, "cpu": 4, "memory": "8Gi"}]},
        "workload": {"generator": {"kind": "burst", "pods": 3, "duration": 10, "requests": {"cpu": 1}}},
    }
    head = {"apiVersion": "wavetank.dev/v1alpha1", "kind": "Experiment", "metadata": {"name": "small"}}
    return {**head, "spec": {key: value for key, value in {**usual, **spec}.items() if value is not None}}


def an_experiment(folder: Path, **spec: Any) -> str:
    """Writes such an experiment and returns the name of its file."""
    path = folder / "e.yaml"
    path.write_text(json.dumps(a_document(**spec)))
    return path.name


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def refused(wavetank: Wavetank, here: Path, *words: str | Path) -> str:
    """Runs a command that must be refused, and returns its one line."""
    before = names_in(here)
    ended = wavetank(*words)
    assert (ended.status, ended.out, names_in(here)) == (2, "", before)
    (line,) = ended.err.splitlines()
    return line
