"""Commands that are ended by a signal: SIGTERM and SIGHUP end them as Ctrl-C does, by an exception.

Python drops an exception that is raised where nobody can catch it: in the callback of a weak reference, for example,
of which every import has one. The signal is then sent again.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from threading import Timer
from types import FrameType
from typing import NoReturn

_AGAIN_S = 0.1  # after which the callback has ended


class _Terminated(SystemExit):
    def __init__(self, number: int) -> None:
        super().__init__(128 + number)
        self.number = number


@contextmanager
def ended_orderly() -> Iterator[None]:
    """Lets signals end a command by an exception, which ends its workers and removes unfinished files."""
    unraisable = sys.unraisablehook
    sys.unraisablehook = partial(_send_again, unraisable)
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:  # nohup ignores SIGHUP
            signal.signal(number, _terminate)
    try:
        yield
    finally:
        sys.unraisablehook = unraisable


def _terminate(number: int, frame: FrameType | None) -> NoReturn:
    signal.signal(number, signal.SIG_DFL)  # a second one ends the process at once
    raise _Terminated(number)


def _send_again(unraisable: Callable[[sys.UnraisableHookArgs], object], dropped: sys.UnraisableHookArgs) -> None:
    if isinstance(dropped.exc_value, _Terminated):
        number = dropped.exc_value.number
        signal.signal(number, _terminate)
    elif isinstance(dropped.exc_value, KeyboardInterrupt):
        number = signal.SIGINT
    else:
        unraisable(dropped)
        return
    again = Timer(_AGAIN_S, os.kill, [os.getpid(), number])  # which interrupts what the main thread waits for
    again.daemon = True
    again.start()
