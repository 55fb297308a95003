"""Deep documents are refused wherever a document is read."""

from __future__ import annotations

import json

import pytest

from tests.apiserver.inprocess import MAPS, Caller
from tests.attack.documents import DEEP
from wavetank.cluster.manifests import load_documents
from wavetank.errors import InputError
from wavetank.k8ssim.server import K8sSimServer

CASES = pytest.mark.parametrize("text", DEEP.values(), ids=DEEP)


@CASES
def test_in_a_file(text: str) -> None:
    with pytest.raises(InputError, match="nested too deeply"):
        load_documents(text, "deep.yaml")


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
