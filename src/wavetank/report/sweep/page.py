from __future__ import annotations

from pathlib import Path


def write_sweep_report(out: Path) -> Path:
    """Writes report.html of a sweep and returns its path."""
    path = out / "report.html"
    path.write_text("<!doctype html>")
    return path
