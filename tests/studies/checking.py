"""Runs a study in its small form and gives what it found."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.paths import SHARED
from wavetank.errors import InputError
from wavetank.studies.catalogue import load_study
from wavetank.studies.data import find_data
from wavetank.studies.study import Findings, StudyContext, Verdict

HOLDS, DOES_NOT_HOLD, CANNOT_BE_CHECKED = Verdict


def small_findings(name: str, folder: Path) -> Findings:
    """Returns what a study finds in its small form; skips the test if data that it needs is absent."""
    study = load_study(name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WAVETANK_SHARED", str(SHARED))
        try:
            folders = find_data(study.data, None, small=True)
        except InputError as error:
            pytest.skip(str(error))
        return study.run(StudyContext(folder, small=True, folders=folders, jobs=1))


def verdicts(findings: Findings) -> dict[str, Verdict]:
    """Returns the verdict of each claim by its key."""
    return {claim.key: claim.verdict for claim in findings.claims}
