"""Runs the benchmarks and prints a table; `--json FILE` writes it too.

    make bench
    python bench/run.py --only cycle --repeat 5 --json bench.json

Every figure is the median of several runs in this process, beside the speed of a bare heapq loop measured just before:
machines differ, and so do their moments.
"""

from __future__ import annotations

import argparse
import heapq
import json
import platform
import resource
import statistics
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from rich.console import Console
from rich.table import Table

import cases


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="run the cases whose name contains this")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = [measure(name, case, options.repeat) for name, case in cases.CASES.items() if options.only in name]
    show(rows)
    if options.json:
        options.json.write_text(json.dumps({"machine": machine(), "rows": rows}, indent=2) + "\n")


def measure(name: str, case: Callable[[], tuple[int, str, float]], repeat: int) -> dict[str, object]:
    """Runs a case a few times; a case returns (how many, of what, in how many seconds)."""
    case()  # compiles and warms up
    heap = heap_speed()
    results = [case() for _ in range(repeat)]
    rate = statistics.median(count / seconds for count, _, seconds in results)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "case": name,
        "unit": results[0][1],
        "per_s": round(rate),
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
    return {"python": platform.python_version(), "machine": platform.machine(), "system": platform.system(), **packages}


def show(rows: list[dict[str, object]]) -> None:
    table = Table("case", "what", "per second", "bare heapq per second", "peak MiB", title="wavetank benchmarks")
    for row in rows:
        table.add_row(*(f"{value:,}" if isinstance(value, int) else str(value) for value in row.values()))
    console = Console()
    console.print(table)
    console.print(", ".join(f"{key} {value}" for key, value in machine().items()), highlight=False)


if __name__ == "__main__":
    main()
