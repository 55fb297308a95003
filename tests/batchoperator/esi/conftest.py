from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.batchoperator.esi.serving import ServedInterface, SmallCluster, serving


@pytest.fixture
def served() -> Iterator[ServedInterface]:
    """The interface of a small cluster."""
    with serving() as served:
        yield served


@pytest.fixture
def cluster() -> SmallCluster:
    """A small cluster that is not served."""
    return SmallCluster()
