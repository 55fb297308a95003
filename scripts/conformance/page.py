"""The page with the results of all conformance tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from conformance.lanes import Outcome
from wavetank.cluster.releases import SERVED

_INTRODUCTION = f"""\
# Conformance

Kubernetes' own conformance tests ({SERVED.tag}), run against `wavetank serve`. A test is *eligible* unless it needs
something that a simulated cluster does not have: programs that really run in containers, and packets between them. The
tests that are not eligible are listed at the end with the reason. `make conformance` builds the tests, runs the others
and writes this page; `.venv/bin/python scripts/run_conformance.py --focus REGEX` runs some of them.
"""


def write_page(names: Sequence[str], reasons: Mapping[str, str], outcomes: Iterable[Outcome]) -> str:
    """Returns the page in Markdown; `names` are all conformance tests, `reasons` those that are not eligible."""
    found = {outcome.name: outcome for outcome in outcomes}
    return (
        "\n".join([_INTRODUCTION, *_table(names, reasons, found), *_failed(found), *_ineligible(names, reasons)]) + "\n"
    )


def group_of(name: str) -> str:
    """Returns the special interest group that a test belongs to, without "sig-"."""
    return name.partition("]")[0].removeprefix("[sig-")


def _table(names: Sequence[str], reasons: Mapping[str, str], found: Mapping[str, Outcome]) -> Iterator[str]:
    every = Counter(map(group_of, names))
    eligible = Counter(group_of(name) for name in names if name not in reasons)
    passed = Counter(group_of(name) for name in names if name in found and found[name].state == "passed")
    yield "| group | passed | eligible | all |\n|---|---:|---:|---:|"
    yield from (f"| {group} | {passed[group]} | {eligible[group]} | {every[group]} |" for group in sorted(every))
    yield f"| **all** | **{passed.total()}** | **{eligible.total()}** | **{every.total()}** |\n"


def _failed(found: Mapping[str, Outcome]) -> Iterator[str]:
    failed = sorted((each for each in found.values() if each.state != "passed"), key=lambda each: each.name)
    if failed:
        yield "## Not passed\n"
        yield from (f"- {_quoted(each.name)} ({each.state})" for each in failed)
        yield ""


def _ineligible(names: Sequence[str], reasons: Mapping[str, str]) -> Iterator[str]:
    yield "## Not eligible"
    for reason in dict.fromkeys(reasons.values()):
        yield f"\n### A test that {reason}\n"
        yield from (f"- {_quoted(name)}" for name in names if reasons.get(name) == reason)


def _quoted(name: str) -> str:
    """Returns a name that Markdown shows as it is, without the mark that all of them have."""
    return name.removesuffix(" [Conformance]").replace("*", "\\*").replace("[", "\\[")
