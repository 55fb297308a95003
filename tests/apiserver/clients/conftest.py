from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.apiserver.serving import Served, nodes_file, serving


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Serves two nodes at work with a scheduler, sixty times as fast as the wall clock."""
    folder = tmp_path_factory.mktemp("served")
    with serving(folder, "--cluster", nodes_file(folder), "--speed", "60", "--latency", "ideal") as server:
        yield server
