"""Objects have at most 500 levels, whatever way they come."""

from __future__ import annotations

import asyncio
import base64
import json
from functools import partial, reduce
from typing import Any, TypeVar

import pytest

from tests.apiserver.inprocess import JSON, MAPS, MERGE, Caller
from tests.apiserver.webhooks.hooks import Hooked
from tests.attack.documents import a_box
from wavetank.apiserver.managedfields.applied import APPLY_PATCH
from wavetank.apiserver.patches.application import JSON_PATCH
from wavetank.apiserver.requests.protobufwriter import body_of
from wavetank.apiserver.waiting import run_waiting
from wavetank.cluster.fields.power import read_power
from wavetank.errors import InputError
from wavetank.scheduling.plugins.retired.nodepreferavoidpods import _avoided

CallerT = TypeVar("CallerT", bound=Caller)

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
BOXES = "/apis/a.io/v1/namespaces/default/boxes"
ANYTHING = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
DEEPER = {"op": "copy", "from": "/spec", "path": "/spec" + "/a" * 400}

pytestmark = pytest.mark.usefixtures("calls_of_a_command")


def definition(schema: dict[str, Any], **more: Any) -> dict[str, Any]:
    names = {"v1": True, "v2": False}
    versions = [
        {"name": name, "served": True, "storage": stored, "schema": {"openAPIV3Schema": schema}}
        for name, stored in names.items()
    ]
    spec = {"group": "a.io", "names": {"plural": "boxes", "kind": "Box"}, "scope": "Namespaced", "versions": versions}
    return {"metadata": {"name": "boxes.a.io"}, "spec": {**spec, **more}}


def with_boxes(caller: CallerT, **more: Any) -> CallerT:
    """Returns the caller of a server, now with a kind of objects that may contain anything."""
    caller.create(DEFINITIONS, definition(ANYTHING, **more))
    return caller


@pytest.fixture
def boxes() -> Caller:
    return with_boxes(Caller())


def ask(caller: Caller, method: str, path: str, body: bytes | None = None, **headers: str) -> int:
    """Asks as the server does, which waits for threads; returns the status of the answer."""
    status: int = asyncio.run(run_waiting(partial(caller.ask, method, path, body, **headers))).status
    return status


@pytest.mark.parametrize("value", ['"b"', json.dumps(list(range(5000)))], ids=["small", "large"])
@pytest.mark.parametrize("brackets", [('{"a":', "}"), ("[", "]")], ids=["objects", "lists"])
def test_an_object_may_have_nearly_500_levels(boxes: Caller, brackets: tuple[str, str], value: str) -> None:
    deep = partial(a_box, opening=brackets[0], closing=brackets[1], value=value)
    assert ask(boxes, "POST", BOXES, deep(490)) == 201
    assert ask(boxes, "POST", BOXES, deep(510)) == 400
    for accept in ("application/json", "application/yaml", "application/json;as=Table;v=v1;g=meta.k8s.io"):
        assert ask(boxes, "GET", f"{BOXES}/x", accept=accept) == 200
        assert ask(boxes, "GET", BOXES, accept=accept) == 200
    assert ask(boxes, "PATCH", f"{BOXES}/x", deep(489), content_type=MERGE) == 200
    assert ask(boxes, "PATCH", f"{BOXES}/x?fieldManager=m&force=true", deep(490), content_type=APPLY_PATCH) == 200
    deeper = json.dumps([{"op": "copy", "from": "/spec", "path": "/spec" + "/a" * 400}]).encode()
    assert ask(boxes, "PATCH", f"{BOXES}/x", deeper, content_type=JSON_PATCH) == 422
    assert ask(boxes, "DELETE", f"{BOXES}/x") == 200


@pytest.mark.parametrize(
    "patch",
    [
        pytest.param(json.dumps([DEEPER]).encode(), id="by a copy"),
        pytest.param(json.dumps([DEEPER] * 12).encode(), id="by copies of copies"),
        pytest.param(b'[{"op":"add","path":"/spec","value":%b}]' % (b"[" * 600 + b"]" * 600), id="by a value"),
        pytest.param(b'[{"op":"add","path":"/spec","value":%b}]' % (b"[" * 9000 + b"]" * 9000), id="by a deep value"),
    ],
)
def test_a_webhook_makes_no_object_of_over_500_levels(patch: bytes) -> None:
    client = with_boxes(Hooked())
    answer = {"allowed": True, "patchType": "JSONPatch", "patch": base64.b64encode(patch).decode()}
    client.add("deepen", lambda _: answer)
    refused = client.ask("POST", BOXES, a_box(480), content_type=JSON)
    assert (refused.status, refused.body["reason"]) == (500, "InternalError")
    assert client.get(f"{BOXES}/x").status == 404


@pytest.mark.parametrize("levels", [600, 9000])
@pytest.mark.parametrize("converts", [False, True], ids=["an admission webhook", "a conversion webhook"])
def test_nor_does_a_deep_answer_end_in_a_traceback(converts: bool, levels: int) -> None:
    client, deep = Hooked(), b"[" * levels + b"]" * levels
    box = b'{"apiVersion":"a.io/v1","kind":"Box","metadata":{"name":"x"},"spec":%b}' % deep
    head = (
        b'{"response":{"uid":"00000001-0000-4000-8000-000000000001","result":{"status":"Success"},"convertedObjects":['
    )
    service = {"namespace": "hooks", "name": "all", "path": "/deep"}
    webhook = {"clientConfig": {"service": service}, "conversionReviewVersions": ["v1"]}
    client.hooks["deep"] = lambda _: head + box + b"]}}"
    conversion = {"strategy": "Webhook", "webhook": webhook} if converts else {"strategy": "None"}
    with_boxes(client, conversion=conversion)
    if not converts:
        client.add("deep", None)
    path = BOXES.replace("/v1/", "/v2/")
    refused = client.ask("POST", path, a_box(2).replace(b"a.io/v1", b"a.io/v2"), content_type=JSON)
    assert refused.status == 500
    assert not converts or "exceeded max depth" in refused.body["message"]


def test_aliases_do_not_make_a_document_deeper(boxes: Caller) -> None:
    parts = [f"x{i}: &x{i} {'[' * 300}{f'*x{i - 1}' if i else 'b'}{']' * 300}" for i in range(5)]
    for count, status, applied in ((1, 201, 200), (2, 400, 400), (5, 400, 400)):
        name = f"apiVersion: a.io/v1\nkind: Box\nmetadata: {{name: x{count}}}\n"
        text = (name + "\n".join(parts[:count])).encode()
        assert ask(boxes, "POST", BOXES, text, content_type="application/yaml") == status
        path = f"{BOXES}/x{count}?fieldManager=m"
        assert ask(boxes, "PATCH", path, text, content_type=APPLY_PATCH) == applied


def within(schema: dict[str, Any], _: object) -> dict[str, Any]:
    return {"type": "object", "properties": {"a": schema}}


def test_protobuf_is_no_deeper_than_json() -> None:
    caller = Caller()
    kind = caller.api.kinds.named("apiextensions.k8s.io/v1", "CustomResourceDefinition")
    assert kind is not None
    for levels, status in ((300, 400), (200, 201)):  # of properties: there are two of the document for each
        schema: dict[str, Any] = reduce(within, range(levels), {"type": "object"})
        body = body_of(kind.api_version, kind.kind, kind.schema.structure, definition(schema))
        assert ask(caller, "POST", DEFINITIONS, body, content_type="application/vnd.kubernetes.protobuf") == status


DEEP = "[" * 60_000 + "]" * 60_000
TARGET = {"kind": "Deployment", "name": "a", "apiVersion": "apps/v1"}


@pytest.mark.parametrize(
    ("path", "document", "status"),
    [
        pytest.param(
            "/api/v1/namespaces/default/secrets",
            {
                "metadata": {"name": "a"},
                "type": "kubernetes.io/dockerconfigjson",
                "data": {".dockerconfigjson": base64.b64encode(DEEP.encode()).decode()},
            },
            422,
            id="the credentials of a registry",
        ),
        pytest.param(
            "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers",
            {
                "metadata": {"name": "a", "annotations": {"autoscaling.alpha.kubernetes.io/metrics": DEEP}},
                "spec": {"maxReplicas": 3, "scaleTargetRef": TARGET},
            },
            201,
            id="the metrics of an autoscaler",
        ),
        pytest.param(
            MAPS,
            {
                "metadata": {
                    "name": "a",
                    "managedFields": [
                        {
                            "manager": "a",
                            "operation": "Update",
                            "apiVersion": "v1",
                            "time": "2030-01-01T00:00:00Z",
                            "fieldsType": "FieldsV1",
                            "fieldsV1": {"f:metadata": {"f:finalizers": {f"v:{DEEP}": {}}}},
                        }
                    ],
                }
            },
            201,
            id="a member of a set",
        ),
    ],
)
def test_a_deep_text_in_an_object_is_no_error_of_the_server(path: str, document: dict[str, Any], status: int) -> None:
    assert Caller().ask("POST", path, document).status == status


@pytest.mark.parametrize("levels", [600, 3500, 5000])
def test_nor_is_a_deep_annotation_of_kubectl(boxes: Caller, levels: int) -> None:
    last = a_box(levels).decode()
    box = {"apiVersion": "a.io/v1", "kind": "Box", "metadata": {"name": "x"}, "spec": {"b": 1}}
    metadata = {"name": "x", "annotations": {"kubectl.kubernetes.io/last-applied-configuration": last}}
    boxes.ask("POST", f"{BOXES}?fieldManager=kubectl-client-side-apply", {**box, "metadata": metadata})
    applied = json.dumps({**box, "spec": {"b": 2}}).encode()
    assert ask(boxes, "PATCH", f"{BOXES}/x?fieldManager=kubectl", applied, content_type=APPLY_PATCH) == 409


def test_nor_does_one_of_a_node_end_the_simulation() -> None:
    with pytest.raises(InputError):
        read_power(DEEP, 4.0)
    assert _avoided(DEEP) == []
