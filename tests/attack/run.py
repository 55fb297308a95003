"""Attacks wavetank: `make attack`, or python tests/attack/run.py [--seed N] [--minutes M] [ATTACK …].

Loopback only. Prints what ran and what broke; the exit status is 1 if anything did. A failure names the seed with which
that attack alone repeats it.
"""

from __future__ import annotations

import argparse
import json
import secrets
import sys
import time
import traceback
import types
from pathlib import Path
from random import Random

ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    """Runs the attacks one after the other; returns the exit status."""
    _import_tests()
    from tests.attack.campaign.attacks import ATTACKS
    from tests.attack.campaign.outcome import Budget, Outcome

    parser = argparse.ArgumentParser(description="Attacks wavetank, on this machine alone.")
    parser.add_argument("attacks", nargs="*", metavar="ATTACK", help=f"one of {', '.join(ATTACKS)}; else all of them")
    parser.add_argument("--seed", type=int, help="repeats an earlier campaign")
    parser.add_argument("--minutes", type=float, default=15, help="how long all attacks may take (%(default)s)")
    parser.add_argument("--json", type=Path, help="also write what ran and what broke into this file")
    options = parser.parse_args()
    unknown = set(options.attacks) - set(ATTACKS)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    seed = secrets.randbelow(1 << 31) if options.seed is None else options.seed
    chosen = options.attacks or list(ATTACKS)
    share = options.minutes * 60 / sum(ATTACKS[name].share for name in chosen)
    print(f"seed {seed}", flush=True)
    written, broken = [], 0
    for name in chosen:
        begun = time.monotonic()
        try:
            outcome = ATTACKS[name].attack(Random(f"{seed} {name}"), Budget(share * ATTACKS[name].share))
        except Exception:
            outcome = Outcome("attempts", broke=[traceback.format_exc()])
        took = time.monotonic() - begun
        figures = "".join(f", {value:,g} {what}" for what, value in outcome.figures.items())
        print(
            f"{name:12} {outcome.ran:7,} {outcome.unit}{figures} · {took:.0f} s · {_verdict(outcome.broke)}", flush=True
        )
        for problem in outcome.broke:
            print(f"    {problem}", flush=True)
        broken += len(outcome.broke)
        written.append({"attack": name, "seed": seed, "seconds": round(took), **vars(outcome)})
    if options.json is not None:
        options.json.write_text(json.dumps(written, indent=2))
    return 1 if broken else 0


def _verdict(broke: list[str]) -> str:
    return f"{len(broke)} BROKE" if broke else "held"


def _import_tests() -> None:
    """Lets `tests` be this folder's: a package of that name may be installed."""
    package = types.ModuleType("tests")
    package.__path__ = [str(ROOT / "tests")]
    sys.modules["tests"] = package


if __name__ == "__main__":
    sys.exit(main())
