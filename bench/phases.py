"""Prints where the CPU time of a whole run goes, with all that is not simulation.

python bench/phases.py nodes.csv pods.csv
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from wavetank.kernel.garbage import rare_collections

with rare_collections():  # as the command line begins
    from wavetank.cli.commands import run as command
    from wavetank.experiments import run, runner
    from wavetank.simulation import simulation

# The module or class, its function, and the phase that ends when it returns.
CALLS = (
    (command, "warm_up", "reading"),
    (simulation.Simulation, "run", "simulation"),
    (run, "PodTable", "columns of the pods"),
    (run, "write_tables", "pods.csv, utilization.csv"),
    (run, "FinishedJobs", "jobs.csv, schedule.csv"),
    (run, "write_batsim", "jobs.csv, schedule.csv"),
    (run, "measure", "figures"),
    (runner, "write_summary", "summary.csv"),
    (command, "write_report", "report.html"),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("nodes", type=Path)
    parser.add_argument("pods", type=Path)
    options = parser.parse_args()
    phases = Phases("start: Python and imports")
    for owner, name, phase in CALLS:
        setattr(owner, name, phases.timed(getattr(owner, name), phase))
    with tempfile.TemporaryDirectory() as folder:
        files = ["--cluster", str(options.nodes), "--workload", str(options.pods), "-o", f"{folder}/out"]
        command.command(files, standalone_mode=False)
    phases.end("the rest")
    phases.show()


class Phases:
    """CPU seconds by phase, since the process began."""

    def __init__(self, first: str) -> None:
        self._seconds: Counter[str] = Counter()
        self._last = 0.0
        self.end(first)

    def end(self, phase: str) -> None:
        """Counts the time since the last end."""
        now = time.process_time()
        self._seconds[phase] += now - self._last
        self._last = now

    def timed(self, call: Callable[..., Any], phase: str) -> Callable[..., Any]:
        """Returns the same, so that what it takes counts as the phase."""

        def called(*args: Any, **kwargs: Any) -> Any:
            self.end("reading" if phase == "simulation" else phase)
            result = call(*args, **kwargs)
            self.end(phase)
            return result

        return called

    def show(self) -> None:
        """Prints a line for each."""
        for phase, seconds in self._seconds.items():
            print(f"{seconds:8.3f}  {phase}")
        print(f"{self._seconds.total() - self._seconds['simulation']:8.3f}  all but the simulation")
        print(f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10:8,}  MiB at most")


if __name__ == "__main__":
    main()
