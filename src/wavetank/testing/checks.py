from __future__ import annotations

from wavetank.api.results import Results
from wavetank.results.assertions import check_all, parse_assertion


def check(results: Results, *assertions: str) -> None:
    """Asserts something of results, as `assert` in an Experiment does; AssertionError tells all that does not hold.

    >>> check(wavetank.run("experiment.yaml"), "p95_waiting_time_s < 60")  # doctest: +SKIP
    """
    parsed = [parse_assertion(text) for text in assertions]
    failed = [finding for finding in check_all(parsed, results.summary("rows")) if not finding.holds]
    if failed:
        raise AssertionError("; ".join(f"{finding.assertion} ({finding.detail})" for finding in failed))
