from __future__ import annotations

from typing import Any

import pytest

from wavetank.apiserver.openapi.customtypes import publish

HEAD = {"apiVersion": {"type": "string"}, "kind": {"type": "string"}, "metadata": {"type": "object"}}
KEEPS = "x-kubernetes-preserve-unknown-fields"
TEXT = {"type": "string"}


def of(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


@pytest.mark.parametrize(
    ("schema", "version", "expected"),
    [
        pytest.param({"type": "object", KEEPS: True}, 2, {"type": "object"}, id="kubectl accepts all fields"),
        pytest.param({"type": "object", KEEPS: True}, 3, {**of(**HEAD), KEEPS: True}, id="version 3 says why"),
        pytest.param(of(a={**of(b=TEXT), KEEPS: True}), 2, of(a={KEEPS: True}, **HEAD), id="unknown fields inside"),
        pytest.param(of(a={"type": "string", "nullable": True}), 2, of(a={}, **HEAD), id="null has no type"),
        pytest.param(
            {**of(a={**TEXT, "nullable": True}, b=TEXT), "required": ["a", "b"]},
            2,
            {**of(a={}, b=TEXT, **HEAD), "required": ["b"]},
            id="nor is it required",
        ),
        pytest.param(of(a={**TEXT, "oneOf": [{}]}), 2, of(a=TEXT, **HEAD), id="no alternatives in version 2"),
        pytest.param(of(oneOf=TEXT), 2, of(oneOf=TEXT, **HEAD), id="a field may have any name"),
        pytest.param(
            of(a={"type": "object", "x-kubernetes-embedded-resource": True}),
            3,
            of(
                a={**of(**HEAD), "x-kubernetes-embedded-resource": True, "required": ["kind", "apiVersion"]},
                **HEAD,
            ),
            id="a resource inside",
        ),
    ],
)
def test_a_schema_is_published_as_kubectl_can_read_it(schema: Any, version: int, expected: Any) -> None:
    assert publish(schema, HEAD, version=version) == expected
