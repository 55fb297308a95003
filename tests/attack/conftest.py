"""What the tests of this folder share: the command line in a folder of its own."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from tests.attack.watching import Threads
from tests.cli.conftest import here, wavetank
from wavetank.kernel.deepcalls import allow_deep_calls

__all__ = ["here", "wavetank"]


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> Threads:
    """Returns a function that watches another one."""

    def watch(module: Any, name: str) -> list[bool]:
        calls: list[bool] = []
        original = getattr(module, name)

        def noted(*arguments: Any, **named: Any) -> Any:
            calls.append(threading.current_thread() is not threading.main_thread())
            return original(*arguments, **named)

        monkeypatch.setattr(module, name, noted)
        return calls

    return watch


@pytest.fixture
def calls_of_a_command() -> Iterator[None]:
    """Allows as many calls inside each other as every command does."""
    limit = sys.getrecursionlimit()
    allow_deep_calls()
    yield
    sys.setrecursionlimit(limit)
