"""Writes src/wavetank/controllers/hashing/podtypes.txt: the Go types of a pod template, for pod-template-hash.

Reads the types of k8s.io/api by Go's reflection: builds and runs scripts/podtypes, whose go.mod names the release.
"""

from __future__ import annotations

import subprocess

from sources import ROOT

TARGET = ROOT / "src/wavetank/controllers/hashing/podtypes.txt"


def main() -> None:
    """Runs the program and writes what it prints."""
    types = subprocess.run(["go", "run", "."], cwd=ROOT / "scripts/podtypes", stdout=subprocess.PIPE, check=True).stdout
    TARGET.write_bytes(types)


if __name__ == "__main__":
    main()
