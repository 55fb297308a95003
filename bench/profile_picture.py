"""Draws where the time of a pod's life goes: a flame graph of stack samples.

python bench/profile_picture.py --svg docs/images/profile.svg
"""

from __future__ import annotations

import argparse
import signal
import sys
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import cases
import picture

EVERY_S = 0.0005
SMALLEST = 0.006  # of the whole: what takes less is left out
ROOT = "Clock.run"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--svg", type=Path, required=True)
    parser.add_argument("--nodes", type=int, default=5_000)
    options = parser.parse_args()
    cases.lives(options.nodes, 1_000)  # compiles and warms up
    pods = 50_000
    samples, seconds = sample(options.nodes, pods)
    options.svg.write_text(picture.icicle(tree(samples, seconds / pods * 1e6), "µs per pod"))


def sample(nodes: int, pods: int) -> tuple[Counter[tuple[str, ...]], float]:
    """Returns how often each stack was seen in a run, and how long the run took."""
    seen: Counter[tuple[str, ...]] = Counter()

    def look(_: int, frame: FrameType | None) -> None:
        stack = []
        while frame is not None:
            stack.append(frame.f_code.co_qualname)
            frame = frame.f_back
        seen[tuple(reversed(stack))] += 1

    signal.signal(signal.SIGPROF, look)
    signal.setitimer(signal.ITIMER_PROF, EVERY_S, EVERY_S)
    seconds = cases.lives(nodes, pods)[2]
    signal.setitimer(signal.ITIMER_PROF, 0)
    return seen, seconds


def tree(samples: Counter[tuple[str, ...]], whole: float) -> dict[str, Any]:
    """Returns the calls below the clock, in microseconds per pod."""
    below = Counter({stack[stack.index(ROOT) :]: count for stack, count in samples.items() if ROOT in stack})
    scale = whole / sum(below.values())
    root: dict[str, Any] = {"name": f"a pod's life: {whole:.0f} µs", "value": whole, "children": []}
    for stack, count in below.items():
        node = root
        for name in stack[1:]:
            child = next((child for child in node["children"] if child["name"] == name), None)
            if child is None:
                child = {"name": name, "value": 0.0, "children": []}
                node["children"].append(child)
            child["value"] += count * scale
            node = child
    _prune(root, whole * SMALLEST)
    return root


def _prune(node: dict[str, Any], smallest: float) -> None:
    node["children"] = [child for child in node["children"] if child["value"] >= smallest]
    for child in node["children"]:
        _prune(child, smallest)


if __name__ == "__main__":
    main()
