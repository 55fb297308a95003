"""Rows made of recorded objects equal the recorded rows."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.apiserver.transcripts import Step, documents_of, scripts, steps_of
from wavetank.apiserver.kinds import Kind, KindTable
from wavetank.apiserver.tables.table import columns, row

KINDS = KindTable.builtin()
NOW = 1_800_000_000.0
PATH = re.compile(r"(?:/api/(?P<core>v1)|/apis/(?P<group>[^/]+)/(?P<version>[^/]+))/(?P<rest>.+)")
AGE = re.compile(r"<invalid>|<unknown>|\d+[ydhms](\d+[dhms])?")
WITH_TABLES = [name for name in scripts() if not name.startswith(("kubectl", "crd"))]


@pytest.mark.parametrize("script", WITH_TABLES)
def test_recorded_tables_are_made_again(script: str) -> None:
    seen: dict[tuple[str, str], dict[str, Any]] = {}
    for step in steps_of(script):
        for document in documents_of(step):
            if document.get("kind") != "Table":
                remember(document, seen)
            else:
                check(document, kind_of(step), seen)


def check(table: dict[str, Any], kind: Kind, seen: dict[tuple[str, str], dict[str, Any]]) -> None:
    assert table["columnDefinitions"] in (None, columns(kind.group_kind))
    for recorded in table["rows"]:
        shown = recorded["object"] or {}
        known = seen.get(version_of(shown)) if shown.get("kind") == "PartialObjectMetadata" else shown
        if known:
            made = row(kind.group_kind, known, NOW)
            assert [masked(cell) for cell in made["cells"]] == [masked(cell) for cell in recorded["cells"]]
            assert made.get("conditions") == recorded.get("conditions")


def masked(cell: Any) -> Any:
    """Hides what depends on the time of day."""
    if not isinstance(cell, str) or cell == "65s":  # a job's duration, which does not
        return cell
    return "<age>" if AGE.fullmatch(cell) else re.sub(r"\(\S+ ago\)", "(<age> ago)", cell)


def remember(document: dict[str, Any], seen: dict[tuple[str, str], dict[str, Any]]) -> None:
    head = {"apiVersion": document.get("apiVersion"), "kind": str(document.get("kind", "")).removesuffix("List")}
    for each in document.get("items") or [document]:
        if not str(each.get("kind", "")).startswith("Partial"):
            seen[version_of(each)] = {**head, **each}


def version_of(document: dict[str, Any]) -> tuple[str, str]:
    metadata = document.get("metadata") or {}
    return metadata.get("uid", ""), metadata.get("resourceVersion", "")


def kind_of(step: Step) -> Kind:
    match = PATH.match(step["path"])
    assert match
    parts = match["rest"].split("/")
    plural = parts[2] if parts[0] == "namespaces" and len(parts) > 2 else parts[0]
    kind = KINDS.find(match["group"] or "", match["core"] or match["version"], plural)
    assert kind
    return kind
