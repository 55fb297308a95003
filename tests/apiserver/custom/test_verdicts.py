"""Random definitions, objects and CEL rules get the verdicts of the real apiextensions code.

verdicts.json.gz has what it said of some (scripts/record_customresources.py); with WAVETANK_ALL=1 and Go it is built
and asked about many more.
"""

from __future__ import annotations

import gzip
import json
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.apiserver.custom.judging import comparable, judge
from tests.apiserver.custom.oracle import ask, build
from tests.apiserver.custom.randomschemas import Randomly
from tests.apiserver.custom.rulecases import RULES, definition_with, random_object, schema_with

FILE = Path(__file__).parent / "verdicts.json.gz"
ALL = bool(os.environ.get("WAVETANK_ALL"))
# Where we differ, and why: the words of a syntax error, an internal error of the real evaluator, and the words for a
# default of another type where its format is one that means nothing.
ODD_RULES = ("self.i = 1", '"unterminated', "distinct")
ODD_WORDS = ("must be of type int32", "must be of type int64", "must be of type strange", "must be of type double")

Document = dict[str, Any]


def requests(count: int, seed: int = 0) -> Iterator[Document]:
    """Yields requests of all kinds, `count` of each; of rules, each with some objects."""
    for i in range(seed, seed + count):
        yield {"definition": Randomly(i).definition()}
        draw = Randomly(i)
        schema = draw.root()
        yield {"schema": schema, "object": draw.object_of(schema)}
        yield {"schema": schema, "object": draw.object_of(schema), "old": draw.object_of(schema)}
    for rule in RULES:
        yield {"definition": definition_with(schema_with(rule))}
    draw_values = random.Random(seed)
    for rule in RULES:
        for _ in range(max(count // 50, 1)):
            old = {"old": random_object(draw_values)} if draw_values.random() < 0.5 else {}
            yield {"schema": schema_with(rule), "object": random_object(draw_values), **old}


def is_odd(request: Document, answer: Document) -> bool:
    text = json.dumps(request.get("schema", request.get("definition")))
    told = "\n".join(answer.get("errors") or [answer.get("failure") or ""])
    return any(json.dumps(rule)[1:-1] in text for rule in ODD_RULES) or any(word in told for word in ODD_WORDS)


def is_sound(request: Document, verdicts: dict[str, bool]) -> bool:
    """Says whether the rule of a request compiles: objects are only checked by those that do."""
    rules = request.get("schema", {}).get("properties", {}).get("spec", {}).get("x-kubernetes-validations")
    return not rules or verdicts.get(rules[0]["rule"], True)


def differences(asked: list[Document], answers: list[Document]) -> list[tuple[Document, Document, Document]]:
    sound = {
        each["definition"]["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"][
            "x-kubernetes-validations"
        ][0]["rule"]: not comparable(answer)["errors"]
        for each, answer in zip(asked, answers, strict=True)
        if "x-kubernetes-validations" in json.dumps(each.get("definition"))
    }
    found = []
    for request, answer in zip(asked, answers, strict=True):
        if is_odd(request, answer) or not is_sound(request, sound):
            continue
        ours, theirs = comparable(judge(request)), comparable(answer)
        if ours != theirs:
            found.append((request, ours, theirs))
    return found


def test_recorded_verdicts() -> None:
    kept = json.loads(gzip.decompress(FILE.read_bytes()))
    assert len(kept["answers"]) > 500
    assert differences(kept["requests"], kept["answers"]) == []


@pytest.mark.skipif(not ALL, reason="builds the real code: only with WAVETANK_ALL=1")
def test_many_more(tmp_path: Path) -> None:
    program = build(tmp_path)
    if program is None:
        pytest.skip("no Go to build the real code with")
    asked = list(requests(2000, seed=1_000_000))
    found = differences(asked, ask(program, asked))
    assert len(found) <= len(asked) // 1000, found[:3]
