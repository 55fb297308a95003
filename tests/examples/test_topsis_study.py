"""The TOPSIS study prints what is committed beside it, and draws its figure."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.support.paths import EXAMPLES

STUDY = EXAMPLES / "topsis-study"


def test_the_study_prints_what_it_did_before(tmp_path):
    command = [sys.executable, str(STUDY / "study.py"), str(tmp_path)]
    printed = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout
    if os.environ.get("WAVETANK_UPDATE"):
        (STUDY / "expected/output.txt").write_text(printed, encoding="utf-8")
    assert printed == (STUDY / "expected/output.txt").read_text(encoding="utf-8")
    assert (tmp_path / "pressure.svg").read_text().startswith("<svg")
