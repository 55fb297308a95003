from __future__ import annotations

import gzip
import json
from types import SimpleNamespace

import pytest

from tests.support.objects import node_manifest, pod_manifest
from tests.verification.recordings import a_document, created, done, scored, single, write
from wavetank.cli.main import main


@pytest.fixture
def run(capsys, monkeypatch):
    """Runs the command in this process."""

    def ended(*args):
        monkeypatch.setattr("sys.argv", ["wavetank", "verify", *map(str, args)])
        status = 0
        try:
            main()
        except SystemExit as end:
            status = end.code or 0
        out, err = capsys.readouterr()
        return SimpleNamespace(returncode=status, stdout=out, stderr=err)

    return ended


def agreeing():
    return a_document(
        [node_manifest("n0"), node_manifest("n1")], created(pod_manifest("p"), scored("p", {"n1": 1, "n0": 1}, "n1"))
    )


def disagreeing():
    return a_document(
        [node_manifest("n0"), node_manifest("n1")], created(pod_manifest("p"), scored("p", {"n1": 1, "n0": 1}, "n0"))
    )


def test_full_agreement_ends_with_0(run, tmp_path):
    write(agreeing(), tmp_path)
    ended = run(tmp_path)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "100.0 % of the attempts agree in everything: 1 of 1, and 1 of 1 files" in ended.stdout


def test_a_mismatch_ends_with_1_and_is_shown_in_full(run, tmp_path):
    write(disagreeing(), tmp_path)
    ended = run(tmp_path)
    assert ended.returncode == 1
    shown = "small-000.json.gz: step 0: default/p: chosen\n  recorded: n0\n  wavetank: n1\n"
    assert shown in ended.stdout
    assert shown not in run(tmp_path, "--most", 0).stdout


def test_one_family_or_one_file(run, tmp_path):
    path = write(agreeing(), tmp_path)
    write({**disagreeing(), "family": "other"}, tmp_path, "v136-other-100.json.gz")
    both = run(tmp_path)
    assert both.returncode == 1
    assert "these files differ, all others agree: v136-other-100.json.gz\n" in both.stdout
    assert run(tmp_path, "--family", "small").returncode == 0
    assert run(path).returncode == 0


def test_json(run, tmp_path):
    write(disagreeing(), tmp_path)
    document = json.loads(run(tmp_path, "--json").stdout)
    assert document["percent"] == 0
    assert document["families"]["small"]["aspects"]["chosen"] == {"equal": 0, "compared": 1}
    assert document["plugins"]["NodeResourcesFit"] == {"equal": 2, "compared": 2}
    mismatch = {"file": "small-000.json.gz", "step": 0, "pod": "default/p", "aspect": "chosen"}
    assert document["mismatches"] == [{**mismatch, "expected": "n0", "got": "n1"}]
    assert document["verdicts"] == {"small-000.json.gz": "differs"}


def test_a_folder_without_recordings(run, tmp_path):
    for place, expected in ((tmp_path, "no recordings here"), (tmp_path / "nowhere", "no such folder")):
        ended = run(place)
        assert ended.returncode == 2
        assert expected in ended.stderr


def test_an_unknown_family_is_told_with_the_closest(run, tmp_path):
    write(agreeing(), tmp_path)
    ended = run(tmp_path, "--family", "smal")
    assert (ended.returncode, ended.stderr) == (2, f"{tmp_path}: no family 'smal' here (did you mean small?)\n")


def without(document, field):
    return {key: value for key, value in document.items() if key != field}


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        pytest.param([], "not a recording: Expected `object`, got `array`", id="another kind of JSON"),
        pytest.param(without(agreeing(), "steps"), "missing required field `steps`", id="a field is missing"),
        pytest.param({**agreeing(), "nodes": 3}, "Expected `array`, got `int` - at `$.nodes`", id="a wrong type"),
        pytest.param({**agreeing(), "results": []}, "results: expected 1 entries, got 0", id="unaligned results"),
        pytest.param({**agreeing(), "kube_scheduler": "new"}, "expected a release such as v1.35.8", id="no release"),
        pytest.param({**agreeing(), "kube_scheduler": "v9.1.0"}, "9.1", id="a release of the future"),
        pytest.param({**agreeing(), "config": {}}, "apiVersion", id="no scheduler configuration"),
        pytest.param(
            a_document([node_manifest("n0")], created(pod_manifest("p"), single("q", "n0"))),
            "an attempt at default/q, which is not pending",
            id="an attempt at nothing",
        ),
        pytest.param(
            a_document([node_manifest("n0")], done("node_delete", "n1")),
            "a node 'n1' that is not there",
            id="no such node",
        ),
        pytest.param(
            a_document([node_manifest("n0")], created(pod_manifest("p"), single("p", "n0", during_step=7))),
            "an attempt during step 7 of 1",
            id="no such step",
        ),
    ],
)
def test_a_bad_recording_is_one_line_and_status_2(run, tmp_path, document, expected):
    path = write(document, tmp_path)
    ended = run(tmp_path)
    assert ended.returncode == 2
    assert ended.stderr.startswith(f"{path}: ")
    assert expected in ended.stderr
    assert ended.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "content",
    [b"\x1f\x8bnonsense", gzip.compress(b"{}")[:-4], gzip.compress(b"{nonsense"), gzip.compress(b"\xff")],
    ids=["no gzip", "cut off", "no JSON", "no text"],
)
def test_a_broken_file_is_one_line_and_status_2(run, tmp_path, content):
    path = tmp_path / "broken-000.json.gz"
    path.write_bytes(content)
    ended = run(path)
    assert ended.returncode == 2
    assert ended.stderr.startswith(f"{path}: ")
    assert ended.stderr.count("\n") == 1
