from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.cli.commands import Ended, Wavetank
from wavetank.cli.main import main


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Returns an empty working folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    return tmp_path


@pytest.fixture
def wavetank(here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Wavetank:
    """Runs a command in this process, which is what the installed script does."""
    monkeypatch.setenv("COLUMNS", "80")

    def run(*words: str | Path) -> Ended:
        monkeypatch.setattr(sys, "argv", ["wavetank", *map(str, words)])
        with pytest.raises(SystemExit) as end:
            main()
        printed = capsys.readouterr()
        return Ended(int(end.value.code or 0), printed.out, printed.err)

    return run
