"""Kubernetes' own conformance tests against `wavetank serve`: `make conformance`."""

from __future__ import annotations

import json
import re
import signal
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from conformance.building import build_programs
from conformance.lanes import Options, Outcome, run_tests
from conformance.page import write_page
from conformance.selection import ineligible, list_tests
from wavetank.errors import WavetankError

_ROOT = Path(__file__).parents[1]
_PAGE = _ROOT / "docs" / "conformance.md"
_RESULTS = "results.json"


@click.command()
@click.option("--focus", metavar="REGEX", help="Run only tests whose name matches; the page is not written.")
@click.option("--other", is_flag=True, help="With --focus: also tests that are not conformance tests.")
@click.option("--ineligible", "every", is_flag=True, help="With --focus: also tests that are not eligible.")
@click.option(
    "--again", is_flag=True, help="Run only tests that did not pass the last time, and keep the others' results."
)
@click.option("--lanes", default=4, show_default=True, help="Clusters that are tested side by side.")
@click.option("--timeout", default="40m", show_default=True, help="For a batch of tests; Go's format.")
@click.option("--list", "only_list", is_flag=True, help="Print the names of the tests and end.")
@click.option("-o", "folder", type=Path, default=_ROOT / "out" / "conformance", help="Logs and results go here.")
def main(
    focus: str | None, other: bool, every: bool, again: bool, lanes: int, timeout: str, only_list: bool, folder: Path
) -> None:
    r"""Runs Kubernetes' own conformance tests against `wavetank serve`.

    \b
    run_conformance.py                             all that are eligible; writes docs/conformance.md
    run_conformance.py --focus sig-auth            some of them
    run_conformance.py --focus 'PodOS' --other     tests of Kubernetes that are no conformance tests
    """
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(1))  # so that clusters are ended too
    try:
        programs = build_programs(_building)
        names = list_tests(programs, focus, conformance=not other)
        reasons = ineligible()
        chosen = [name for name in names if every or name not in reasons]
        before = _read(folder) if again else {}
        chosen = [name for name in chosen if before.get(name, {}).get("state") != "passed"] if again else chosen
        if only_list:
            click.echo("\n".join(chosen))
            return
        known, progress = dict(before), _progress(len(chosen))

        def report(outcome: Outcome) -> None:
            known[outcome.name] = asdict(outcome)
            (folder / _RESULTS).write_text(json.dumps(known, indent=1), encoding="utf-8")  # an interrupted run goes on
            progress(outcome)

        outcomes = run_tests(programs, chosen, lanes, Options(folder, timeout), report)
    except WavetankError as error:
        click.echo(str(error), err=True)
        sys.exit(2)
    if focus is None:
        results = [Outcome(**known[name]) for name in names if name in known and name not in reasons]
        _PAGE.write_text(write_page(names, reasons, results), encoding="utf-8")
    sys.exit(1 if any(outcome.state != "passed" for outcome in outcomes) else 0)


def _read(folder: Path) -> dict[str, dict[str, Any]]:
    file = folder / _RESULTS
    found: dict[str, dict[str, Any]] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    return found


def _building(step: str, packages: int) -> None:
    if packages % 100 == 0:
        click.echo(f"building the tests: {step}{f' ({packages} packages)' if packages else ''}", err=True)


def _progress(total: int) -> Callable[[Outcome], None]:
    done = passed = 0

    def report(outcome: Outcome) -> None:
        nonlocal done, passed
        done, passed = done + 1, passed + (outcome.state == "passed")
        name = re.sub(r" \[Conformance\]$", "", outcome.name)
        line = f"{done}/{total}, {passed} passed: {outcome.state} in {outcome.seconds:.0f} s: {name}"
        click.echo(f"{line}\n    {outcome.problem}" if outcome.problem else line)

    return report


if __name__ == "__main__":
    main()
