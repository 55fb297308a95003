"""Valid documents to begin with, and where they are written."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import yaml

from tests.apiserver.documents import DOCUMENTS
from wavetank.apiserver.kinds import Kind, KindTable

Document = dict[str, Any]

TABLE = KindTable.builtin()
# Objects that change how the server itself works for everything else are left to scenarios of their own.
_ASIDE = {"Namespace"}


def all_documents() -> list[Document]:
    """Returns a document of every kind that has one."""
    more = list(yaml.safe_load_all(Path(__file__).with_name("more.yaml").read_text()))
    return [document for document in [*DOCUMENTS, *more] if document["kind"] not in _ASIDE]


def kind_of(document: Document) -> Kind:
    """Returns the kind of a document."""
    kind = TABLE.named(document["apiVersion"], document["kind"])
    assert kind is not None, document["kind"]
    return kind


def collection(kind: Kind, namespace: str) -> str:
    """Returns the path of a kind's objects."""
    root = f"/apis/{kind.group}/{kind.version}" if kind.group else f"/api/{kind.version}"
    return f"{root}/namespaces/{namespace}/{kind.plural}" if kind.namespaced else f"{root}/{kind.plural}"


def placed(document: Document, namespace: str, name: str = "") -> Document:
    """Returns a copy of a document for a namespace, under another name if one is given."""
    text = json.dumps(document).replace("NAMESPACE", namespace)
    made: Document = copy.deepcopy(json.loads(text))
    made["metadata"].pop("namespace", None)
    if name:
        made["metadata"]["name"] = name
    return made
