"""What was recorded of kubectl on a real cluster: commands in order, and the manifests they were given."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.apiserver.transcripts import TRANSCRIPTS

LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"

Document = dict[str, Any]


@dataclass(frozen=True)
class Command:
    """One recorded command: what was asked of kubectl, what it printed, what it asked of the server."""

    number: int
    family: str
    line: str
    cold: bool  # kubectl's cache of discovery was empty
    status: int
    out: str
    err: str
    requests: list[Document]


def commands(version: str) -> list[Command]:
    """Returns the commands of one kubectl, in the order in which they were given."""
    rows = [row for file in TRANSCRIPTS.glob(f"kubectl-{version}-*.jsonl.gz") for row in _rows(file)]
    made = [
        Command(
            row["i"],
            row["family"],
            row["cmd"],
            bool(row["cold_cache"]),
            row["exit"],
            row["stdout"],
            row["stderr"],
            row["requests"],
        )
        for row in rows
    ]
    return sorted(made, key=lambda command: command.number)


def _rows(file: Path) -> Iterator[Document]:
    with gzip.open(file, "rt") as lines:
        yield from (row for row in map(json.loads, lines) if "cmd" in row)


def write_manifests(given: list[Command], folder: Path) -> None:
    """Writes the files that the commands name, as far as their requests show what was in them."""
    for command in given:
        names = re.findall(r"-f (\w+\.yaml)", command.line)
        documents = list(_applied(command))
        if not documents:
            continue
        share = len(documents) // len(names)
        for index, name in enumerate(names):
            mine = documents[index * share : (index + 1) * share]
            if not (folder / name).exists():
                (folder / name).write_text(yaml.safe_dump_all(mine))


def _applied(command: Command) -> Iterator[Document]:
    """Yields the documents of a command's files: kubectl sends them along, as an annotation or as the apply patch."""
    for request in command.requests:
        body = request.get("body")
        if not isinstance(body, dict) or "diff" in command.line:
            continue
        stated = ((body.get("metadata") or {}).get("annotations") or {}).get(LAST_APPLIED)
        if stated is not None and "--server-side" not in command.line:
            document = json.loads(stated)
            yield _without_empty_annotations(document)
        elif request.get("content_type") == "application/apply-patch+yaml" and stated is None:
            yield body
            return  # sent twice where managers are moved


def _without_empty_annotations(document: Document) -> Document:
    """Takes away the empty map that kubectl puts there for its own sake."""
    if not document["metadata"].get("annotations"):
        document["metadata"].pop("annotations", None)
    return document
