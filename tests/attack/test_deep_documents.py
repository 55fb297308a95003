"""Deep documents are refused wherever a document is read."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.apiserver.inprocess import MAPS, Caller
from tests.attack.documents import DEEP, a_box
from tests.cli.commands import an_experiment
from tests.support.waiting import PATIENCE_S
from wavetank.cluster.manifests import load_documents
from wavetank.errors import InputError
from wavetank.k8ssim.server import K8sSimServer
from wavetank.nodes.shell.expansion import arithmetic
from wavetank.nodes.shell.syntax import UnreadableError

CASES = pytest.mark.parametrize("text", DEEP.values(), ids=DEEP)


@CASES
def test_in_a_file(text: str) -> None:
    with pytest.raises(InputError, match="nested too deeply"):
        load_documents(text, "deep.yaml")


@pytest.mark.usefixtures("calls_of_a_command")
@pytest.mark.parametrize("brackets", [('{"a":', "}"), ("[", "]")], ids=["objects", "lists"])
def test_json_in_a_file_may_be_as_deep_as_in_a_request(brackets: tuple[str, str]) -> None:
    """Workers, for which runs are pickled, may make fewer calls inside each other than the command."""
    deep = partial(a_box, opening=brackets[0], closing=brackets[1])
    assert load_documents(deep(490).decode(), "some.json")
    with pytest.raises(InputError, match="nested too deeply"):
        load_documents(deep(510).decode(), "deep.json")


def test_a_document_of_usual_depth_is_read() -> None:
    assert load_documents("[" * 300 + "]" * 300, "some.yaml")


@CASES
def test_in_the_body_of_a_request(text: str) -> None:
    caller = Caller()
    created = caller.ask("POST", MAPS, text.encode(), content_type="application/yaml")
    assert (created.status, created.body["reason"]) == (400, "BadRequest")
    path = f"{MAPS}/a?fieldManager=x"
    applied = caller.ask("PATCH", path, text.encode(), content_type="application/apply-patch+yaml")
    assert (applied.status, applied.body["reason"]) == (400, "BadRequest")


@CASES
def test_in_a_request_of_k8ssims_client(text: str) -> None:
    server = K8sSimServer()
    reset = json.dumps({"nodes": text, "workload": text, "period": "-1"}).encode()
    for body in (reset, text.encode(), b"[" * 100_000):
        assert server.handle("/reset", body).status == 400


@pytest.mark.parametrize("sign", ["-", "!", "("])
def test_in_the_arithmetic_of_a_command(sign: str) -> None:
    with pytest.raises(UnreadableError):
        arithmetic(sign * 50_000 + "1", {})


@pytest.mark.parametrize("jobs", [1, 2])
def test_runs_of_deep_objects_are_made_here_and_in_workers(tmp_path: Path, jobs: int) -> None:
    deep: Any = "b"
    for _ in range(490):
        deep = {"a": deep}
    containers = [{"name": "c", "image": "i", "unknown": deep}]
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": containers}}
    spec = {"replicas": 2, "selector": {"matchLabels": {"a": "b"}}, "template": template}
    head = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "deep"}}
    (tmp_path / "deep.json").write_text(json.dumps({**head, "spec": spec}))
    experiment = an_experiment(tmp_path, workload={"file": "deep.json"}, seeds=[1, 2])
    words = [sys.executable, "-m", "wavetank", "run", experiment, "--jobs", str(jobs), "-o", "out"]
    ended = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE_S)
    assert ended.returncode == 0, ended.stderr
