"""Measures how long other clients of `wavetank serve` wait while several heavy requests are worked on at once.

    python bench/stalls/together.py            # eight requests
    python bench/stalls/together.py --each 4   # sixteen

Small requests are made all the time on one connection. Besides the columns of single.py it prints how long half of
them took, and 99 of 100.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from policycases import CASES
from single import server, small_requests

HEAVY = ("pod: many requests", "pod: many host aliases", "unknown fields in a list", "pod: many tolerations")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--each", type=int, default=2, help="how often each of the requests is made")
    parser.add_argument("--blame", type=float, default=0, metavar="S", help="as in bench/stalls/single.py")
    options = parser.parse_args()
    steps = [case.request() for case in CASES if case.name in HEAVY] * options.each
    with tempfile.TemporaryDirectory() as folder, server(Path(folder), options.blame) as attacked:
        attacked.reset()
        begun = time.perf_counter()
        with small_requests(attacked) as waits:
            threads = [threading.Thread(target=attacked.ask, args=(step,)) for step in steps]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            took = time.perf_counter() - begun
            cpu, real = attacked.longest()
    ordered = sorted(waits)
    print(f"{len(steps)} heavy requests in {took:.1f} s")
    print(f"between two ticks of the loop, at most: {cpu:.3f} s of CPU time, {real:.3f} s")
    half, most = ordered[len(ordered) // 2], ordered[len(ordered) * 99 // 100]
    print(f"{len(ordered)} small requests: half {half:.3f} s, 99 % {most:.3f} s, at most {ordered[-1]:.3f} s")


if __name__ == "__main__":
    main()
