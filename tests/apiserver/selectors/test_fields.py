from __future__ import annotations

import pytest

from tests.apiserver.inprocess import PODS, Caller, a_map
from tests.support.objects import pod_manifest
from wavetank.apiserver.errors import StatusError
from wavetank.apiserver.kinds import Kind, KindTable
from wavetank.apiserver.selectors.fields import parse_fields

KINDS = KindTable.builtin()


def kind(api_version: str, name: str) -> Kind:
    found = KINDS.named(api_version, name)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("selector", "names"),
    [
        ("", ["a", "b"]),
        ("metadata.name=a", ["a"]),
        ("metadata.name!=a", ["b"]),
        ("metadata.name=a,metadata.name=b", []),
        ("metadata.namespace=default", ["a", "b"]),
        ("spec.nodeName=", ["a"]),
        ("spec.nodeName=n", ["b"]),
        ("spec.host=n", ["b"]),
        ("status.phase!=Failed,status.phase!=Succeeded", ["a", "b"]),
        ("spec.hostNetwork=false", ["a", "b"]),
        ("spec.restartPolicy=Never", ["b"]),
        ("status.podIPs=x", []),
    ],
)
def test_pods_are_selected_by_their_fields(selector: str, names: list[str]) -> None:
    caller = Caller()
    caller.create(PODS, pod_manifest("a"))
    caller.create(PODS, pod_manifest("b", nodeName="n", restartPolicy="Never"))
    assert caller.get(f"{PODS}?fieldSelector={selector}").names == names


@pytest.mark.parametrize(
    ("api_version", "name", "selector", "message"),
    [
        ("v1", "Pod", "spec.image=x", "field label not supported: spec.image"),
        ("batch/v1", "Job", "spec.x=1", 'field label "spec.x" not supported for Job'),
        (
            "v1",
            "ConfigMap",
            "data.k=v",
            '"data.k" is not a known field selector: only "metadata.name", "metadata.namespace"',
        ),
        ("v1", "ConfigMap", "metadata.name", "invalid selector: 'metadata.name'; can't understand 'metadata.name'"),
        ("v1", "ConfigMap", "metadata.name=a\\x", "invalid field selector: invalid escape sequence: \\x"),
        ("v1", "ConfigMap", "metadata.name=a=b", "invalid field selector: unescaped character in value: 61"),
    ],
)
def test_what_cannot_be_selected_is_refused(api_version: str, name: str, selector: str, message: str) -> None:
    with pytest.raises(StatusError) as caught:
        parse_fields(selector, kind(api_version, name))
    assert (caught.value.code, str(caught.value)) == (400, message)


def test_an_escaped_comma_belongs_to_the_value() -> None:
    (term,) = parse_fields(r"metadata.name=a\,b", kind("v1", "ConfigMap")).terms
    assert term == ("metadata.name", True, "a,b")


def test_every_map_has_a_name() -> None:
    caller = Caller()
    caller.create("/api/v1/namespaces/default/configmaps", a_map("a"))
    assert caller.get("/api/v1/configmaps?fieldSelector=metadata.namespace=default").names == ["a"]
