"""Sends the same requests to a real kube-apiserver and to `wavetank serve --bare`, and prints where the answers differ.

    python scripts/compare_servers.py [--scenario life] [--seed 1] [--only Pod]

kube-apiserver is built by `python tests/support/controlplane/programs.py`; etcd is built as well. The scenarios are
those of tests/apiserver/sidebyside.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import testmodules  # noqa: F401
from tests.apiserver.sidebyside.comparing import differences
from tests.apiserver.sidebyside.conversing import Step
from tests.apiserver.sidebyside.scenarios import SCENARIOS, WITH_RBAC, conversations
from tests.apiserver.sidebyside.servers import our_server, real_server

_WIDTH, _LINES = 1500, 8


def main() -> None:
    """Reads the command line and compares."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scenario", choices=sorted(SCENARIOS), action="append", help="default: all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="only conversations whose name contains this")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        steps = different = 0
        for rbac in (False, True):
            named = [each for each in options.scenario or sorted(SCENARIOS) if (each in WITH_RBAC) == rbac]
            if named:
                more, others = _compare(Path(folder) / str(rbac), named, rbac, options.seed, options.only)
                steps, different = steps + more, different + others
    print(f"all: {steps - different} of {steps} agree")


def _compare(folder: Path, scenarios: list[str], rbac: bool, seed: int, only: str) -> tuple[int, int]:
    """Holds all conversations with both servers; returns the number of requests, and of those that differ."""
    homes = folder / "real", folder / "ours"
    for home in homes:
        home.mkdir(parents=True)
    steps = different = 0
    with real_server(homes[0], rbac) as begin_real, our_server(homes[1], rbac) as begin_ours:
        for name, hold in conversations(scenarios, seed):
            if only not in name:
                continue
            real, ours = begin_real(), begin_ours()
            hold(real)
            hold(ours)
            real.close()
            ours.close()
            found = list(differences(real.steps, ours.steps))
            _print(name, found, len(real.steps))
            steps, different = steps + len(real.steps), different + len(found)
    return steps, different


def _print(name: str, found: list[tuple[Step, list[str]]], steps: int) -> None:
    for step, lines in found:
        print(f"{name}: {step.request[:_WIDTH]}")
        for line in lines[:_LINES]:
            print(f"    {line[:_WIDTH]}")
    print(f"{name}: {steps - len(found)} of {steps} agree", flush=True)


if __name__ == "__main__":
    main()
