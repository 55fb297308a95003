from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests.support.schemas import comparing
from wavetank.experiments import runner

settings.register_profile("wavetank", deadline=None)  # a busy machine is no failure
settings.load_profile("wavetank")


@pytest.fixture(scope="session", autouse=True)
def one_core() -> Iterator[None]:
    """Runs experiments in this process unless a test asks for more: each process takes a second to start."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runner, "_cores", lambda: 1)
        yield


@pytest.fixture(scope="session", autouse=True)
def published_schemas() -> Iterator[None]:
    """Compares every experiment and sweep that a test reads with the JSON Schemas that `wavetank schema` prints."""
    with comparing():
        yield
