"""All commands have the same options for what they print, and can be started and completed in the same ways."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from tests.cli.commands import Wavetank, an_experiment
from wavetank.cli.main import cli

# Commands without --json, and why.
WITHOUT_JSON = {
    "decide": "a server for a Batsim",
    "k8ssim-server": "a server",
    "misim-adapter": "a server",
    "nodes": "runs until Ctrl-C, without results",
    "operator run": "a server",
    "operator simulate": "a server",
    "play": "a server",
    "schema": "prints JSON anyway",
    "serve": "a server; its results are those of --record",
    "warmup": "has no results",
}


def leaves(command: click.Command, path: str = "") -> Iterator[tuple[str, click.Command]]:
    if not isinstance(command, click.Group):
        yield path, command
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        found = command.get_command(context, name)
        assert found is not None
        yield from leaves(found, f"{path} {name}".strip())


COMMANDS = [pytest.param(path, command, id=path) for path, command in leaves(cli)]


@pytest.mark.parametrize(("path", "command"), COMMANDS)
def test_every_command_can_be_quiet_and_verbose_and_prints_json_if_it_has_results(
    path: str, command: click.Command
) -> None:
    options = {option: each for each in command.params for option in each.opts}
    assert {"-q", "--quiet", "-v", "--verbose"} <= options.keys()
    assert ("--json" in options) == (path not in WITHOUT_JSON)
    if "--json" in options:
        assert options["--json"].name == "as_json"


@pytest.mark.parametrize("words", [("schedulers",), ("study", "list"), ("scheduler", "list"), ("controller", "list")])
def test_lists_are_json_documents(wavetank: Wavetank, words: tuple[str, ...]) -> None:
    ended = wavetank(*words, "--json")
    assert ended.status == 0
    assert isinstance(json.loads(ended.out), list)


def test_results_reports_and_conversions_are_json_documents(wavetank: Wavetank, here: Path) -> None:
    wavetank("run", an_experiment(here))
    (listed,) = json.loads(wavetank("results", "--json").out)
    assert (listed["path"], listed["name"], listed["runs"]) == ("out/small", "small", 1)
    assert json.loads(wavetank("report", "out/small", "--json").out) == {"report": "out/small/report.html"}
    (here / "pods.csv").write_text("name,arrival_s,duration_s,cpu\na,0,10,1\nb,5,10,1\n")
    converted = json.loads(wavetank("convert", "pods.csv", "jobs.json", "--json").out)
    assert (converted["file"], converted["entries"], converted["period"]) == ("jobs.json", 2, None)


def test_a_run_prints_nothing_but_json(wavetank: Wavetank, here: Path) -> None:
    document = json.loads(wavetank("run", an_experiment(here), "--json").out)
    assert document


def test_a_quiet_run_prints_its_results_only(wavetank: Wavetank, here: Path) -> None:
    ended = wavetank("run", an_experiment(here, schedulers=[{"name": "default"}]), "--quiet")
    assert (ended.status, ended.err) == (0, "")
    assert "report:" in ended.out


def test_a_quiet_command_still_prints_its_error(wavetank: Wavetank, here: Path) -> None:
    ended = wavetank("run", "missing.yaml", "-q")
    assert ended.status == 2
    assert ended.err.startswith("missing.yaml: ")


def test_a_verbose_command_says_how_long_it_took_and_where_an_error_came_from(wavetank: Wavetank) -> None:
    ended = wavetank("run", "missing.yaml", "-v")
    assert ended.status == 2
    assert "Traceback" in ended.err
    assert ended.err.splitlines()[-1].startswith("took ")


def test_the_next_command_is_as_usual_again(wavetank: Wavetank) -> None:
    wavetank("schedulers", "--quiet")
    assert "took" not in wavetank("run", "missing.yaml").err


def test_quiet_and_verbose_exclude_each_other(wavetank: Wavetank) -> None:
    ended = wavetank("schedulers", "-q", "-v")
    assert (ended.status, "cannot be used together" in ended.err) == (2, True)


def test_the_package_can_be_run_as_a_module() -> None:
    done = subprocess.run([sys.executable, "-m", "wavetank", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("wavetank ")


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash on this machine")
@pytest.mark.parametrize(
    ("words", "completed"),
    [
        pytest.param("wavetank wh", "whatif", id="a command"),
        pytest.param("wavetank clock adv", "advance", id="a command of a group"),
        pytest.param("wavetank sweep --exe", "--executor", id="an option"),
        pytest.param("wavetank sweep --executor r", "ray", id="the value of an option"),
    ],
)
def test_bash_completes(tmp_path: Path, words: str, completed: str) -> None:
    script = f"""
        source <(_WAVETANK_COMPLETE=bash_source wavetank)
        COMP_WORDS=({words}); COMP_CWORD={len(words.split()) - 1}; COMPREPLY=()
        _wavetank_completion wavetank; echo "${{COMPREPLY[@]}}"
    """
    starter = tmp_path / "wavetank"
    starter.write_text(f"#!{sys.executable}\nfrom wavetank.cli.main import main\n\nmain()\n")
    starter.chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", script], env={**os.environ, "PATH": path}, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == [completed]
