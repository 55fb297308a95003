"""Processes that end with the one that started them."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Callable
from types import FrameType
from typing import NoReturn, TypeVar

from wavetank.kernel.deepcalls import allow_deep_calls

T = TypeVar("T")

_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def die_with_parent() -> None:
    """Lets the kernel kill this process when its parent ends, whatever ends it; on Linux only.

    May be called between fork and exec.
    """
    if _libc is not None:
        _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def begin_worker(parent: int) -> None:
    """Begins a worker of the process `parent`: it dies with it, also if that has just ended.

    SIGTERM ends what it does like an exception, so that temporary files are removed.
    """
    allow_deep_calls()
    signal.signal(signal.SIGTERM, _leave)
    die_with_parent()
    if sys.platform == "linux" and os.getppid() != parent:
        os._exit(1)


def work(function: Callable[..., T], *args: object) -> T:
    """Calls a function in a worker; if SIGTERM comes meanwhile the process ends, and does not wait for more work."""
    try:
        return function(*args)
    except SystemExit as error:
        os._exit(error.code if isinstance(error.code, int) else 1)


def _leave(number: int, frame: FrameType | None) -> NoReturn:
    signal.signal(number, signal.SIG_IGN)
    raise SystemExit(128 + number)
