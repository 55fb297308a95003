from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.apiserver.serving import Served, serving


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Serves a cluster without actors."""
    with serving(tmp_path_factory.mktemp("bare"), "--bare") as server:
        yield server
