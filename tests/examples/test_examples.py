"""Every example runs, and prints what is committed beside it.

Each example's folder `expected` holds `output.txt` and, where it matters, result files under their paths in the
results. `WAVETANK_UPDATE=1 pytest tests/examples` writes them anew; look at the difference before you commit it.
"""

from __future__ import annotations

import os
import runpy
import sys

import pytest

from tests.support.paths import EXAMPLES
from wavetank.cli.main import main

DOCUMENTS = sorted(EXAMPLES.glob("[0-9]*/experiment.yaml"))
SCRIPTS = sorted(EXAMPLES.glob("[0-9]*/run.py"))
SWEEPS = [path for path in sorted(EXAMPLES.glob("[0-9]*/sweep.yaml")) if path.with_name("run.py") not in SCRIPTS]


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setenv("COLUMNS", "80")


def run(*words, command="run"):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["wavetank", command, *map(str, words)])
        with pytest.raises(SystemExit) as end:
            main()
    assert not end.value.code


def compare(example, printed, results=None):
    """Compares with what is committed, or commits to it if asked to."""
    expected = example / "expected"
    if os.environ.get("WAVETANK_UPDATE"):
        expected.mkdir(exist_ok=True)
        (expected / "output.txt").write_text(printed, encoding="utf-8")
        for path in files_in(expected):
            path.write_bytes((results / path.relative_to(expected)).read_bytes())
    assert printed == (expected / "output.txt").read_text(encoding="utf-8")
    for path in files_in(expected):
        assert (results / path.relative_to(expected)).read_text() == path.read_text()


def files_in(expected):
    return [path for path in expected.rglob("*") if path.is_file() and path.name != "output.txt"]


@pytest.mark.parametrize("document", [pytest.param(path, id=path.parent.name) for path in DOCUMENTS])
def test_an_experiment_prints_what_it_did_before(document, tmp_path, capsys):
    run(document, "-o", "out")
    compare(document.parent, capsys.readouterr().out, tmp_path / "out")


@pytest.mark.parametrize("document", [pytest.param(path, id=path.parent.name) for path in SWEEPS])
def test_a_sweep_prints_what_it_did_before(document, tmp_path, capsys):
    run(document, "-o", "out", "--jobs", "1", command="sweep")
    compare(document.parent, capsys.readouterr().out, tmp_path / "out")


@pytest.mark.parametrize("script", [pytest.param(path, id=f"{path.parent.name}/{path.name}") for path in SCRIPTS])
def test_a_script_prints_what_it_did_before(script, capsys):
    runpy.run_path(str(script), run_name="__main__")
    compare(script.parent, capsys.readouterr().out)


@pytest.mark.skipif(not os.environ.get("WAVETANK_ALL"), reason="takes half a minute: make test-all")
def test_the_demo_prints_what_it_did_before(tmp_path, capsys):
    run(EXAMPLES / "demo/experiment.yaml", "--seeds", "1", "-o", "out")
    compare(EXAMPLES / "demo", capsys.readouterr().out, tmp_path / "out")


def test_every_example_says_in_its_first_line_what_it_shows():
    for path in (*DOCUMENTS, *SWEEPS, *SCRIPTS):
        assert path.read_text(encoding="utf-8").startswith(("# ", '"""')), path
