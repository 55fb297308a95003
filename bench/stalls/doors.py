"""Measures how long one heavy request keeps other clients waiting, at each server of wavetank but the Kubernetes API.

    python bench/stalls/doors.py                     # all, some minutes
    python bench/stalls/doors.py page "state:"       # those whose names contain one of the words
    python bench/stalls/doors.py --blame 0.08 play   # and the server's stacks when its loop stands still for 80 ms

The columns are those of bench/stalls/single.py. Of several answers on one connection, the status is that of the first.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from doorcases import CASES, DOORS, DoorCase
from single import Attacked, running, show, small_requests


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help="parts of the names of cases")
    parser.add_argument("--blame", type=float, default=0, metavar="S", help="print stacks after so many seconds")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = []
    for door, cases in CASES.items():
        chosen = [case for case in cases if not options.words or any(word in case.name for word in options.words)]
        if not chosen:
            continue
        with tempfile.TemporaryDirectory() as folder:
            words = DOORS[door].words(Path(folder))
            with running(Path(folder), options.blame, words) as attacked:
                for case in chosen:
                    rows.append(measure(attacked, case, DOORS[door].small))
                    print(json.dumps(rows[-1]), file=sys.stderr, flush=True)
    if not rows:
        parser.error(f"no case is called {' or '.join(options.words)}")
    show(rows)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=2) + "\n")


def measure(attacked: Attacked, case: DoorCase, small: str) -> dict[str, object]:
    """Prepares a case, and makes its request beside small ones."""
    case.before(attacked)
    send = case.prepare()
    attacked.reset()
    with small_requests(attacked, small) as waits:
        begun = time.perf_counter()
        status = send(attacked)
        took = time.perf_counter() - begun
        cpu, real = attacked.longest()
    seconds = {"took": took, "cpu": cpu, "real": real, "client": max(waits, default=0.0)}
    return {"case": case.name, "status": status, **{key: round(value, 3) for key, value in seconds.items()}}


if __name__ == "__main__":
    main()
