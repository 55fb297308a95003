"""Clusters with a real control plane and simulated nodes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.apiserver.serving import nodes_file, serving
from tests.realclusters.joining import joining
from tests.support.controlplane.servers import ControlPlane, control_plane

ALL = bool(os.environ.get("WAVETANK_ALL"))
# The servers that scripts of kubectl run against; the real one takes minutes.
SERVERS = ["wavetank", *(["real"] if ALL else [])]


def need_all() -> None:
    """Skips a test that takes minutes."""
    if not ALL:
        pytest.skip("takes minutes: WAVETANK_ALL=1 (make test-all) runs it")


@contextmanager
def both_servers(name: str, folder: Path, *options: str) -> Iterator[Path]:
    """Yields the kubeconfig of two nodes under one of SERVERS; `options` are of `wavetank serve`."""
    nodes = nodes_file(folder)
    if name == "wavetank":
        with serving(folder, "--cluster", nodes, *options) as served:
            yield served.kubeconfig
    else:
        with real_cluster(folder, Path(nodes)) as plane:
            yield plane.kubeconfig


@contextmanager
def real_cluster(folder: Path, nodes: Path, *options: str) -> Iterator[ControlPlane]:
    """Yields a real control plane whose nodes are simulated: those of a file."""
    with control_plane(folder) as plane, joining(plane.kubeconfig, nodes, *options):
        yield plane
