from __future__ import annotations

from collections.abc import Iterator

import pytest

from wavetank.experiments import runner


@pytest.fixture(scope="session", autouse=True)
def one_core() -> Iterator[None]:
    """Runs experiments in this process unless a test asks for more: each process takes a second to start."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runner, "_cores", lambda: 1)
        yield
