"""The recorded conversations with a real kube-apiserver, as steps that tests can replay in part."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from typing import Any

from tests.support.paths import DATA, shared_data

TRANSCRIPTS = DATA / "api-transcripts"

Step = dict[str, Any]


def scripts() -> list[str]:
    """Returns the names of the scripts that are there; none where there is no shared folder."""
    return sorted(file.name.removesuffix(".jsonl.gz") for file in TRANSCRIPTS.glob("*.jsonl.gz"))


def steps_of(script: str) -> list[Step]:
    """Returns the steps of a script; skips the test if it is absent."""
    file = shared_data(TRANSCRIPTS / f"{script}.jsonl.gz")
    with gzip.open(file, "rt") as lines:
        return [step for step in map(json.loads, lines) if "op" in step]


def documents_of(step: Step) -> Iterator[dict[str, Any]]:
    """Yields the documents of an answer: its body or the objects of its events, lists as they are."""
    response = step.get("response") or {}
    if isinstance(response.get("body"), dict):
        yield response["body"]
    for event in response.get("events") or ():
        if isinstance(event.get("object"), dict):
            yield event["object"]
