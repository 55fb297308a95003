"""Runs a study and writes what it finds."""

from __future__ import annotations

from pathlib import Path

from wavetank.errors import InputError
from wavetank.studies.data import find_data
from wavetank.studies.study import Findings, Progress, Study, StudyContext, no_progress
from wavetank.studies.writing import write_findings


def run_study(
    study: Study,
    out: Path,
    *,
    small: bool = False,
    data: Path | None = None,
    jobs: int | None = None,
    progress: Progress = no_progress,
) -> Findings:
    """Runs a study and writes page, claims and pictures to the folder `out`, results of its runs to `out`/runs."""
    folders = _folders(study, data, small)
    runs = out / "runs"
    try:
        runs.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot write results there: {error.strerror}", source=str(out)) from None
    findings = study.run(StudyContext(runs, small, folders, jobs, progress))
    write_findings(study, findings, out, small)
    return findings


def _folders(study: Study, given: Path | None, small: bool) -> dict[str, Path]:
    try:
        return find_data(study.data, given, small)
    except InputError as error:
        raise (error if error.source else error.inside(source=f"study {study.name}")) from None
