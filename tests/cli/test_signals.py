"""Signals that end a command, wherever they find it."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from tests.attack.test_ended_runs import default_action
from tests.support.waiting import PATIENCE_S
from wavetank.cli.main import main

_IN_A_CALLBACK = """\
import signal, sys, time, weakref
from wavetank.cli import main

class Thing:
    pass

def command(*_, **__):
    thing = Thing()
    reference = weakref.ref(thing, lambda _: signal.raise_signal(int(sys.argv[1])))
    del thing
    time.sleep(600)

main.cli = command
main.main()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGHUP")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_whose_exception_python_drops_ends_the_command(number: signal.Signals) -> None:
    with default_action(number):
        words = [sys.executable, "-c", _IN_A_CALLBACK, str(int(number))]
        ended = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE_S)
    assert ended.returncode == 128 + number
    assert "Traceback" not in ended.stderr


class Failing:
    def __del__(self) -> None:
        raise ValueError("failed")


def test_other_dropped_exceptions_are_reported_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    reported: list[str] = []

    def report(dropped: sys.UnraisableHookArgs) -> None:
        reported.append(str(dropped.exc_value))

    def command(*_: object, **__: object) -> None:
        Failing()

    monkeypatch.setattr(sys, "unraisablehook", report)
    monkeypatch.setattr("wavetank.cli.main.cli", command)
    with pytest.raises(SystemExit):
        main()
    assert reported == ["failed"]
    assert sys.unraisablehook is report
