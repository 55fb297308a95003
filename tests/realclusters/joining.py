"""Simulated nodes for tests, as a program of their own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import yaml

from tests.support.objects import node_manifest
from tests.support.waiting import PATIENCE_S


def write_nodes(folder: Path, count: int, prefix: str = "sim", cpu: str = "4") -> Path:
    """Writes a file with nodes, and returns its path."""
    file = folder / f"{prefix}-{count}.yaml"
    nodes = [node_manifest(f"{prefix}-{i}", cpu=cpu, memory="16Gi") for i in range(count)]
    file.write_text(yaml.safe_dump_all(nodes))
    return file


@contextmanager
def joining(kubeconfig: Path, nodes: Path, *options: str) -> Iterator[subprocess.Popen[str]]:
    """Runs `wavetank nodes` until the block ends; the nodes have joined when it begins."""
    words = ["nodes", "--kubeconfig", kubeconfig, "--context", "wavetank", "--cluster", nodes, *options]
    command = [sys.executable, "-m", "wavetank", *map(str, words)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        first = process.stdout.readline()
        assert first.startswith("joined:"), first + (process.stderr.read() if process.stderr else "")
        yield process
    finally:
        process.terminate()
        _, errors = process.communicate(timeout=PATIENCE_S)
    assert "Traceback" not in errors, errors
