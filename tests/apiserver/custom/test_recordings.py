"""Conversations about custom kinds that we held with a real kube-apiserver 1.35.8, held again with ours.

They are in the form of the project's shared transcripts (crd-* there are others): the life of a definition, several
versions, scale, printer columns, names that conflict, selectable fields, embedded objects, CEL rules.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.apiserver.serving import Served, serving
from tests.support.paths import SHARED, needs_shared

REPLAY = SHARED / "tools" / "api_replay" / "replay.py"
FILES = sorted((Path(__file__).parent / "recordings").glob("*.jsonl.gz"))
# An APIService says by whom it was made; a field that the stored version does not know makes the real server forget
# who manages an object, and refuse to apply it (docs/api-compatibility.md).
KNOWN = {"crd-versions": {18, 19, 20, 22, 27, 31, 32, 33, 34, 35}}

pytestmark = needs_shared(REPLAY)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("bare"), "--bare", "--http", token="tok") as server:
        yield server


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name.partition(".")[0])
def test_every_step_agrees_or_is_a_known_difference(file: Path, served: Served) -> None:
    name = file.name.partition(".")[0]
    command = [sys.executable, str(REPLAY), "--server", served.url, "--token", "tok", str(file)]
    environment = {"PYTHONDONTWRITEBYTECODE": "1", "PATH": ""}
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment, cwd=Path("/"))
    assert "TOTAL" in done.stdout, done.stdout + done.stderr
    steps = {int(step) for step in re.findall(rf"DIFF {re.escape(name)}#(\d+)", done.stdout)}
    assert steps == KNOWN.get(name, set()), done.stdout
