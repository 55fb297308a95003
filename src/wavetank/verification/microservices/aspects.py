"""In which aspects a run of services is compared with its recording."""

from __future__ import annotations

SERVICE_ASPECTS = (
    "responses",
    "counts",
    "failures",
    "instances",
    "balancing",
    "breakers",
    "retries",
    "decisions",
    "means",
    "quantiles",
    "shares",
    "placements",
    "pods",
)
