"""Runs the benchmarks and prints a table; `--json FILE` writes it too.

    make bench
    python bench/run.py --only cycle --repeat 5 --json bench.json
    python bench/run.py --big

Every figure is the median of several runs, beside the speed of a bare heapq loop measured just before: machines
differ, and so do their moments.
"""

from __future__ import annotations

import argparse
import heapq
import json
import os
import platform
import resource
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from rich.console import Console
from rich.progress import track
from rich.table import Table

import cases
import commands

Row = dict[str, object]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="run the cases whose name contains this")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--big", action="store_true", help="run the cases that take a minute each, too")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    measuring = track(list(wanted(options)), "measuring", transient=True)
    rows = [found for measured in measuring if (found := measured(options.repeat)) is not None]
    show(rows)
    if options.json:
        options.json.write_text(json.dumps({"machine": machine(), "rows": rows}, indent=2) + "\n")


def wanted(options: argparse.Namespace) -> list[Callable[[int], Row | None]]:
    """Returns what measures each of the cases that were asked for."""
    chosen: list[Callable[[int], Row | None]] = []
    chosen += [partial(measure, name, case) for name, case in cases.CASES.items() if options.only in name]
    big = cases.BIG if options.big else {}
    chosen += [partial(measure_once, name, case) for name, case in big.items() if options.only in name]
    outside = {**commands.COMMANDS, **(commands.BIG if options.big else {})}
    chosen += [partial(measure_command, name, case) for name, case in outside.items() if options.only in name]
    return chosen


def measure(name: str, case: Callable[[], cases.Result], repeat: int) -> Row:
    """Runs a case in this process a few times."""
    if name not in cases.BIG:
        case()  # compiles and warms up
    heap = heap_speed()
    results = [case() for _ in range(1 if name in cases.BIG else repeat)]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return row(name, results[0][1], [(count, seconds) for count, _, seconds in results], heap, peak)


def measure_once(name: str, case: Callable[[], cases.Result], repeat: int) -> Row:
    """Runs a long case in this process, a single time."""
    heap = heap_speed()
    count, unit, seconds = case()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return row(name, unit, [(count, seconds)], heap, peak)


def measure_command(name: str, case: Callable[[], commands.Measured], repeat: int) -> Row | None:
    """Runs a command a few times; None, with a word about it, if something that it needs is not there."""
    heap = heap_speed()
    try:
        results = [case() for _ in range(1 if name in commands.BIG else repeat)]
    except commands.MissingError as error:
        print(f"{name}: {error}", file=sys.stderr)
        return None
    measured = [(result.number, result.seconds) for result in results]
    return row(name, results[0].unit, measured, heap, max(result.peak_mib for result in results))


def row(name: str, unit: str, measured: Sequence[tuple[int, float]], heap: float, peak: float) -> Row:
    """Returns the line of a case, with medians."""
    return {
        "case": name,
        "unit": unit,
        "per_s": _short(statistics.median(count / seconds for count, seconds in measured)),
        "seconds": round(statistics.median(seconds for _, seconds in measured), 3),
        "runs": len(measured),
        "heapq_per_s": round(heap),
        "peak_mib": round(peak),
    }


def heap_speed(number: int = 200_000) -> float:
    """Returns pushes and pops of a bare heap per second."""
    begun = time.perf_counter()
    heap: list[int] = []
    for i in range(number):
        heapq.heappush(heap, (i * 7919) % number)
    while heap:
        heapq.heappop(heap)
    return number / (time.perf_counter() - begun)


def machine() -> dict[str, str]:
    packages = {name: version(name) for name in ("wavetank", "numpy", "numba")}
    cores = str(os.cpu_count())
    return {"python": platform.python_version(), "machine": platform.machine(), "cores": cores, **packages}


def show(rows: Sequence[Row]) -> None:
    table = Table("case", "what", "per second", "seconds", "runs", "heapq/s", "peak MiB", title="wavetank benchmarks")
    for line in rows:
        table.add_row(*(f"{value:,}" if isinstance(value, int) else str(value) for value in line.values()))
    console = Console(width=max(120, Console().width))
    console.print(table)
    console.print(", ".join(f"{key} {value}" for key, value in machine().items()), highlight=False)


def _short(rate: float) -> float | int:
    return round(rate) if rate >= 100 else round(rate, 3)


if __name__ == "__main__":
    main()
