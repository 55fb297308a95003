"""Objects have the size in bytes that kube-apiserver 1.35.8 gives them in etcd."""

from __future__ import annotations

import base64
import http.client
import json
import ssl
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.apiserver.sidebyside.conversing import Conversation
from tests.apiserver.sidebyside.documents import TABLE, all_documents, collection, kind_of
from tests.support.controlplane.clusters import need_all
from tests.support.controlplane.servers import TOKEN, ControlPlane
from tests.support.waiting import PATIENCE_S
from wavetank.apiserver.conversion.versions import stored_kind
from wavetank.apiserver.verbs.etcd import key_of, stored_size

# A phase is set when it is read; an older version is stored; controllers change them at once.
_DIFFERENT = {"PersistentVolumeClaim", "VolumeAttributesClass", "FlowSchema", "APIService", "CustomResourceDefinition"}
_NAMESPACE = "default"


@pytest.fixture
def plane(tmp_path: Path) -> Iterator[ControlPlane]:
    need_all()
    started = ControlPlane(tmp_path)
    try:
        started.start_bare("--disable-admission-plugins=ServiceAccount,Priority")
        yield started
    finally:
        started.stop()


def test_stored_objects_have_the_real_size(plane: ControlPlane) -> None:
    host, context = urlsplit(plane.url).netloc, ssl._create_unverified_context()
    asking = Conversation(lambda: http.client.HTTPSConnection(host, context=context, timeout=PATIENCE_S), TOKEN)
    sizes: dict[str, tuple[int, int]] = {}
    for document in all_documents():
        kind = kind_of(document)
        namespace = _NAMESPACE if kind.namespaced else ""
        metadata = {name: value for name, value in document["metadata"].items() if name != "namespace"}
        created = asking.ask("POST", collection(kind, namespace), {**document, "metadata": metadata})
        if created.status == 201 and kind.kind not in _DIFFERENT and stored_kind(TABLE, kind) is kind:
            value = _value(plane, key_of(kind, namespace, created.body["metadata"]["name"]))
            sizes[kind.kind] = stored_size(kind, created.body), len(value)
    asking.close()
    assert {kind: both for kind, both in sizes.items() if both[0] != both[1]} == {}
    assert len(sizes) > 40


def _value(plane: ControlPlane, key: str) -> bytes:
    body = json.dumps({"key": base64.b64encode(key.encode()).decode()}).encode()
    with urllib.request.urlopen(f"{plane.etcd_url}/v3/kv/range", body) as answer:
        return base64.b64decode(json.load(answer)["kvs"][0]["value"])
