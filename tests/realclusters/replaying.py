"""Replays for tests: their command lines, and the pods in their results."""

from __future__ import annotations

import csv
from pathlib import Path


def replay_words(kubeconfig: Path, experiment: Path, out: Path, *options: str) -> list[str]:
    """Returns the words of a `wavetank replay` into a folder, in a namespace of its own."""
    cluster = ["--kubeconfig", str(kubeconfig), "--context", "wavetank"]
    return ["replay", str(experiment), *cluster, "--namespace", f"ns-{out.name}", "-o", str(out), *options]


def rows_of(out: Path) -> list[dict[str, str]]:
    """Returns the rows of the replayed pods."""
    with (out / "real" / "seed-1" / "pods.csv").open(newline="") as file:
        return list(csv.DictReader(file))
