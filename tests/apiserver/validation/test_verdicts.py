"""What the strategies of the real API server say about invalid documents, recorded by scripts/record_validation.py."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.apiserver.documents import DOCUMENTS
from wavetank.apiserver.codec import canonical
from wavetank.apiserver.defaulting.defaults import set_defaults
from wavetank.apiserver.fielderrors import FieldError
from wavetank.apiserver.kinds import Kind, KindTable
from wavetank.apiserver.registry.preparing import prepare_create, prepare_status, prepare_update
from wavetank.apiserver.registry.validation import validate_create, validate_status_update, validate_update
from wavetank.apiserver.registry.warnings import create_warnings, update_warnings
from wavetank.apiserver.strategies.strategy import WriteContext

Verdict = dict[str, Any]
TABLE = KindTable.builtin()
NOW = WriteContext("2030-01-01T00:00:00Z")


def verdicts() -> Iterator[Any]:
    packed = Path(__file__).with_name("verdicts.json.gz").read_bytes()
    grouped: dict[tuple[str, str], list[Verdict]] = {}
    for verdict in json.loads(gzip.decompress(packed)):
        grouped.setdefault((verdict["Kind"], verdict["Op"]), []).append(verdict)
    for (kind, operation), group in grouped.items():
        yield pytest.param(group, id=f"{operation} {kind}")


def read(kind: Kind, document: dict[str, Any]) -> dict[str, Any]:
    """Returns a document as the API reads it."""
    decoded = canonical(kind.schema, json.loads(json.dumps(document)))
    set_defaults(kind, decoded)
    return decoded


def judge(verdict: Verdict) -> tuple[list[FieldError], list[str]]:
    """Returns what we say of the document in a verdict: errors and warnings."""
    kind = TABLE.named(verdict["APIVersion"], verdict["Kind"])
    assert kind is not None
    new = read(kind, verdict["Doc"])
    if verdict["Op"] == "create":
        new["metadata"]["uid"] = "uid"
        prepare_create(kind, new, NOW)
        return validate_create(kind, new), create_warnings(kind, new)
    old = read(kind, verdict["Old"])
    if verdict["Op"] == "update":
        prepare_update(kind, new, old, NOW)
        return validate_update(kind, new, old), update_warnings(kind, new, old)
    prepare_status(kind, new, old, NOW)
    return validate_status_update(kind, new, old), []


@pytest.mark.parametrize("group", [*verdicts()])
def test_the_real_server_finds_the_same_faults(group: list[Verdict]) -> None:
    for verdict in group:
        errors, warnings = judge(verdict)
        causes = sorted([error.cause["reason"], error.cause["field"], error.cause["message"]] for error in errors)
        assert causes == sorted(verdict.get("causes", [])), verdict["Doc"]
        if not errors and verdict["Op"] != "status":
            assert sorted(warnings) == sorted(verdict.get("warnings", [])), verdict["Doc"]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document["kind"])
def test_a_good_document_stays_as_it_is_when_it_is_written_again(document: dict[str, Any]) -> None:
    kind = TABLE.named(document["apiVersion"], document["kind"])
    assert kind is not None
    stored = read(kind, document)
    stored["metadata"] |= {"uid": "uid", "resourceVersion": "5", "creationTimestamp": "2024-01-01T00:00:00Z"}
    prepare_create(kind, stored, NOW)
    again = read(kind, stored)
    prepare_update(kind, again, stored, NOW)
    assert again == stored
    assert validate_update(kind, again, stored) == []
