"""Writes tests/scheduling/dra/selectors.json: what the real scheduler's code says of selectors of devices.

Builds scripts/oracles/deviceselectors with Go. The expressions are those of the file;
add new ones there, without an answer.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
FILE = ROOT / "tests" / "scheduling" / "dra" / "selectors.json"
ORACLE = ROOT / "scripts" / "oracles" / "deviceselectors"


def main() -> None:
    """Asks about each expression of the file and writes the answers into it."""
    recorded = json.loads(FILE.read_text())
    asked = [{**recorded["about"], "expression": case["expression"]} for case in recorded["cases"]]
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "oracle"
        subprocess.run(["go", "build", "-o", program, "."], cwd=ORACLE, check=True, env={**os.environ, "GOFLAGS": ""})
        lines = "".join(json.dumps(each) + "\n" for each in asked)
        told = subprocess.run([program], input=lines, capture_output=True, text=True, check=True).stdout.splitlines()
    answers = zip(asked, map(json.loads, told), strict=True)
    cases = [{"expression": each["expression"], **answer} for each, answer in answers]
    FILE.write_text(json.dumps({"about": recorded["about"], "cases": cases}, indent=1) + "\n")


if __name__ == "__main__":
    main()
