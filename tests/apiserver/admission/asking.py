"""What the tests of admission share."""

from __future__ import annotations

from typing import Any

import pytest

from wavetank.apiserver.admission.attributes import Attributes
from wavetank.apiserver.admission.chain import ALL_PLUGINS, AdmissionChain
from wavetank.apiserver.errors import StatusError
from wavetank.apiserver.kinds import KindTable
from wavetank.cluster.objects.kinds import parse_resource
from wavetank.cluster.store.store import Store

TABLE = KindTable.builtin()
Document = dict[str, Any]


def add(store: Store, api_version: str, kind: str, name: str, **fields: Any) -> None:
    kind_of = TABLE.named(api_version, kind)
    assert kind_of is not None
    metadata = {"name": name, **({"namespace": "ns"} if kind_of.namespaced else {}), **fields.pop("metadata", {})}
    document = {"apiVersion": api_version, "kind": kind, "metadata": metadata, **fields}
    store.create(parse_resource(document, store.specs, namespaced=kind_of.namespaced))


def ask(
    store: Store, kind: str, document: Document, *plugins: str, operation: str = "CREATE", old: Document | None = None
) -> Document:
    """Lets some plugins see a write; returns the document that they leave."""
    found = next(one for one in TABLE if one.kind == kind)
    document.setdefault("metadata", {}).setdefault("name", "x")
    attributes = Attributes(operation, found, document, old, "ns" if found.namespaced else "", "x")
    admission = AdmissionChain(store, plugins or ALL_PLUGINS)
    admission.mutate(attributes)
    admission.validate(attributes)
    return document


def pod(**spec: Any) -> Document:
    return {"metadata": {"name": "x"}, "spec": {"containers": [{"name": "c", "image": "i", "resources": {}}], **spec}}


def asking(**amounts: str) -> Document:
    return pod(containers=[{"name": "c", "image": "i", "resources": {"requests": amounts}}])


def refused(store: Store, kind: str, document: Document, *plugins: str, **how: Any) -> str:
    with pytest.raises(StatusError) as error:
        ask(store, kind, document, *plugins, **how)
    assert error.value.code in (403, 404)
    return str(error.value)


def quota(store: Store, hard: Document, used: Document, **spec: Any) -> None:
    add(store, "v1", "ResourceQuota", "q", spec={"hard": hard, **spec}, status={"hard": hard, "used": used})
