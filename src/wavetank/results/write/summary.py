from __future__ import annotations

from dataclasses import asdict

from wavetank.results.schema import Metrics


def summary_row(scheduler: str, seed: int, metrics: Metrics) -> dict[str, str | int | float | None]:
    """Returns the row of a run in summary.csv; numbers are rounded to six places."""
    return {"scheduler": scheduler, "seed": seed, **{name: _rounded(value) for name, value in asdict(metrics).items()}}


def _rounded(value: int | float | None) -> int | float | None:
    return round(value, 6) if isinstance(value, float) else value
