"""`wavetank misim`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.microservices.builders import a_service, an_operation, interval
from wavetank.cli.commands.misim import command
from wavetank.errors import InputError


def _files(folder: Path, **fields: Any) -> list[str]:
    services = [a_service("a", [an_operation("x", 10, "b.x")], **fields), a_service("b", [an_operation("x", 20)])]
    (folder / "a.json").write_text(json.dumps({"microservices": services}))
    experiment = {"simulation_metadata": {"duration": 10}, "request_generators": [interval("a.x")]}
    (folder / "e.json").write_text(json.dumps(experiment))
    return [str(folder / "a.json"), str(folder / "e.json")]


def test_it_prints_response_times(tmp_path: Path) -> None:
    result = CliRunner().invoke(command, [*_files(tmp_path), "--json", "--preset", "misim"], catch_exceptions=False)
    [row] = json.loads(result.stdout)
    assert (row["operation"], row["succeeded"], row["failed"]) == ("a.x", 10, 0)
    assert row["p50"] == pytest.approx(0.123, rel=0.02)


def test_unknown_fields_are_errors_unless_it_is_lenient(tmp_path: Path) -> None:
    files = _files(tmp_path, capacityy=3)
    with pytest.raises(InputError, match=r"a\.json: microservices\[0\]\.capacityy: unknown field"):
        CliRunner().invoke(command, files, catch_exceptions=False)
    assert CliRunner().invoke(command, [*files, "--lenient"], catch_exceptions=False).exit_code == 0
