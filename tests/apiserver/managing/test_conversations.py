"""What a real kube-apiserver 1.35.8 said in random conversations, and what ours says in the same ones."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.apiserver.inprocess import Caller
from tests.apiserver.managing.conversations import JSON, NAMESPACE, comparable, conversation

RECORDED = Path(__file__).with_name("conversations.json.gz")
EVERY = 1 if os.environ.get("WAVETANK_ALL") else 4


def recorded() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(gzip.decompress(RECORDED.read_bytes()))
    return found[::EVERY]


@pytest.fixture(scope="module")
def caller() -> Caller:
    made = Caller()
    made.ask("POST", "/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
    return made


@pytest.mark.parametrize("talk", recorded(), ids=lambda talk: str(talk["seed"]))
def test_every_answer_is_the_real_one(talk: dict[str, Any], caller: Caller) -> None:
    for step, (request, real) in enumerate(zip(conversation(talk["seed"]), talk["answers"], strict=True)):
        method, path, body, content_type = request
        answer = caller.ask(method, path, body, content_type=content_type, user_agent="talker/1")
        caller.clock.run(caller.clock.now + 1_000_000_000)  # so that the oldest manager is the one that came first
        found = [answer.status, comparable(answer.body)]
        assert json.loads(json.dumps(found)) == real, (step, request)


def test_they_are_json_with_a_content_type() -> None:
    assert {request[3] for talk in recorded() for request in conversation(talk["seed"])} > {JSON}
