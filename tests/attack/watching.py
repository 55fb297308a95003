"""What tests of heavy requests share."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

from tests.apiserver.inprocess import Answer, Caller
from wavetank.apiserver.waiting import run_waiting

# Watches a function of a module: the list says of each call whether it was beside the event loop.
Threads = Callable[[Any, str], list[bool]]


def served(caller: Caller, *arguments: Any, **headers: str) -> Answer:
    """Asks as the server does: the request may wait."""
    return asyncio.run(run_waiting(partial(caller.ask, *arguments, **headers)))
