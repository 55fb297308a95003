"""Measures how long small requests that set much going keep other clients of `wavetank serve` waiting.

    python bench/stalls/bursts.py                    # all trials, some minutes
    python bench/stalls/bursts.py job "1,000 nodes"  # those whose names contain one of the words
    python bench/stalls/bursts.py --blame 0.06 job   # and the stacks of the server after 60 ms of CPU time in one piece

A trial is a row of phases. A phase makes its requests, then lets simulated time pass and waits until that is done, so
it covers all that controllers, the scheduler and kubelets do. The columns are those of bench/stalls/single.py.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from bursttrials import TRIALS, Phase
from single import TOKEN, Attacked, nodes_in, running, show, small_requests


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help="parts of the names of trials")
    parser.add_argument(
        "--blame", type=float, default=0, metavar="S", help="print stacks after so many seconds of CPU time"
    )
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = []
    for trial in TRIALS:
        if options.words and not any(word in trial.name for word in options.words):
            continue
        with tempfile.TemporaryDirectory() as folder:
            words = ["--http", "--port", "0", "--token", TOKEN, "--kubeconfig", f"{folder}/kubeconfig"]
            words += ["--cluster", str(nodes_in(Path(folder), trial.nodes)), *trial.words]
            with running(Path(folder), options.blame, ["serve", *words]) as attacked:
                for phase in trial.phases():
                    rows.append(measure(attacked, f"{trial.name}: {phase.name}", phase))
                    print(json.dumps(rows[-1]), file=sys.stderr, flush=True)
    if not rows:
        parser.error(f"no trial is called {' or '.join(options.words)}")
    show(rows)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=2) + "\n")


def measure(attacked: Attacked, name: str, phase: Phase) -> dict[str, object]:
    """Runs one phase beside small requests."""
    attacked.reset()
    with small_requests(attacked) as waits:
        begun = time.perf_counter()
        status = 0
        for step in phase.steps():
            answered, body = attacked.ask(step)
            status = status or answered
            assert answered < 300, (name, step.path, answered, body[:300])
        took = time.perf_counter() - begun
        cpu, real = attacked.longest()
    seconds = {"took": took, "cpu": cpu, "real": real, "client": max(waits, default=0.0)}
    return {"case": name, "status": status, **{key: round(value, 3) for key, value in seconds.items()}}


if __name__ == "__main__":
    main()
