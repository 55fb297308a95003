"""Hostile files: mutated examples are read, or refused with one message; a crash of the process is one as well."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random

from tests.attack.campaign.outcome import Budget, Outcome

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
_SUFFIXES = (".yaml", ".json", ".csv", ".swf", ".xml")
_LARGEST = 200_000  # bytes
_AT_ONCE = 40  # files for one process
_PIECES = [
    *(b"\x00", b"\xff\xfe", b"\x1f\x8b\x08", b"\r", b"\t", b"\xc3\xa9", b"\x1b[2J", b'"', b",", b"=HYPERLINK(1)"),
    *(b"---\n", b"&a [*a]", b"? ", b"- ", b"{", b"[" * 500, b"!!python/object:os.system "),
    *(b"9" * 400, b"-1", b"1e308", b"nan", b"null"),
]

_READER = """
import json, sys
from pathlib import Path
from wavetank.errors import WavetankError
from wavetank.experiments.document.experiment import load_experiment
from wavetank.workloads.inspect.summary import summarize
from wavetank.workloads.open import open_cluster
for line in sys.stdin:
    path = Path(line.strip())
    found = ""
    for read in (lambda: summarize(path), lambda: open_cluster([path]), lambda: load_experiment(path, {})):
        try:
            read()
        except WavetankError:
            pass
        except Exception as error:
            found = f"{type(error).__name__}: {error}"
    print(json.dumps(found), flush=True)
"""


def attack(random: Random, budget: Budget) -> Outcome:
    """Reads mutated files as workloads, clusters and experiments."""
    outcome = Outcome("mutated files, each read as a workload, a cluster and an experiment")
    found = sorted(path for path in EXAMPLES.rglob("*") if path.suffix in _SUFFIXES and path.stat().st_size < _LARGEST)
    with tempfile.TemporaryDirectory() as name:
        while budget.left():
            files = [_mutated(random.choice(found), random, Path(name), i) for i in range(_AT_ONCE)]
            _read(files, outcome)
    return outcome


def _mutated(path: Path, random: Random, folder: Path, number: int) -> Path:
    data = bytearray(path.read_bytes())
    for _ in range(random.choice([1, 1, 2, 5])):
        at = random.randrange(len(data) + 1)
        length = random.choice([0, 0, 1, 8, 200])
        piece = random.choice([random.choice(_PIECES), random.randbytes(3), bytes(data[at : at + 60])])
        data[at : at + length] = piece
    if random.random() < 0.1:
        del data[random.randrange(len(data) + 1) :]
    made = folder / f"{number}{path.suffix}"
    made.write_bytes(data)
    return made


def _read(files: list[Path], outcome: Outcome) -> None:
    lines = "".join(f"{path}\n" for path in files)
    ended = subprocess.run([sys.executable, "-c", _READER], input=lines, capture_output=True, text=True, timeout=600)
    said = ended.stdout.splitlines()
    outcome.ran += len(said)
    for path, line in zip(files, said, strict=False):
        problem = json.loads(line)
        outcome.check(not problem, f"{path.suffix}: {problem}; {path.read_bytes()[:300]!r}" if problem else "")
    if len(said) < len(files):
        text = files[len(said)].read_bytes()[:300]
        outcome.check(False, f"the process ended with {ended.returncode}: {ended.stderr[-200:]} on {text!r}")
