"""Conversations with a real kube-apiserver 1.35.8, held again with `wavetank serve --bare`, compared by step."""

from __future__ import annotations

import gzip
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.apiserver.serving import Served, serving
from tests.apiserver.transcripts import TRANSCRIPTS, scripts
from tests.support.paths import SHARED, needs_shared

REPLAY = SHARED / "tools" / "api_replay" / "replay.py"
# kubectl's files are of another form.
LATER = ("kubectl-",)
# What the comparer must be told that we have, since it cannot do it itself.
WITH_ALL_PLUGINS = ("admission-default",)
# Not ours to give: the server is restarted between two steps.
NEEDS_A_RESTART = ("watch-expired",)

AGED_SINCE = datetime(2024, 1, 1, 0, 1, 5, tzinfo=UTC)

# docs/api-compatibility.md says why.
KNOWN: dict[str, set[str]] = {
    "admission-default": {"3", "6", "11", "13", "17"},
    "crud-misc-ns": {"46", "47"},
    "patch-merge": {"27"},
}

pytestmark = needs_shared(REPLAY)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("bare"), "--bare", "--http", token="tok") as server:
        yield server


@pytest.fixture(scope="module")
def admitting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("all"), "--bare", "--http", "--admission", "full", token="tok") as server:
        yield server


def ordinary() -> list[str]:
    aside = (*LATER, *WITH_ALL_PLUGINS, *NEEDS_A_RESTART)
    return [name for name in scripts() if not name.startswith(aside)]


@pytest.mark.parametrize("script", ordinary())
def test_every_step_agrees_or_is_a_known_difference(script: str, served: Served) -> None:
    assert differences(script, served) == KNOWN.get(script, set())


@pytest.mark.parametrize("script", WITH_ALL_PLUGINS)
def test_with_all_admission_plugins(script: str, admitting: Served) -> None:
    assert differences(script, admitting, "--with-needs") == KNOWN.get(script, set())


def of_today(file: Path, folder: Path) -> Path:
    """Returns the script as it would be recorded today: where an answer is a text, it has the age of a fixed date."""
    recorded = gzip.decompress(file.read_bytes())
    years, days = divmod((datetime.now(UTC) - AGED_SINCE).days, 365)
    copy = folder / file.name
    copy.write_bytes(gzip.compress(recorded.replace(b"2y319d ago", f"{years}y{days}d ago".encode()), 1))
    return copy


def differences(script: str, server: Served, *options: str) -> set[str]:
    """Replays a script; returns the steps that differ, and pairs of versions that are out of order."""
    command = [sys.executable, str(REPLAY), *options, "--server", server.url, "--token", "tok"]
    environment = {"PYTHONDONTWRITEBYTECODE": "1", "PATH": ""}
    with tempfile.TemporaryDirectory() as folder:
        command.append(str(of_today(TRANSCRIPTS / f"{script}.jsonl.gz", Path(folder))))
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment, cwd=Path("/"))
    assert "TOTAL" in done.stdout, done.stdout + done.stderr
    steps = set(re.findall(rf"DIFF {re.escape(script)}#(\d+)", done.stdout))
    disorder = re.findall(rf"RVORDER {re.escape(script)} (rv:\d+)=\d+ (rv:\d+)=", done.stdout)
    return steps | {" ".join(pair) for pair in disorder}
