from __future__ import annotations

import signal
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from tests.support.schemas import comparing
from wavetank.experiments import runner

if TYPE_CHECKING:
    from playwright.sync_api import Browser

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # in the background of a shell: commands inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)

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


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Starts Chromium for the tests of one file: a process can hold only one, and while it is open no asyncio loop."""
    from tests.support.browser import chromium

    with chromium() as browser:
        yield browser
