"""Strategic merge patches: merge keys, directives, order, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wavetank.apiserver.codec import encode
from wavetank.apiserver.errors import StatusError
from wavetank.apiserver.kinds import KindTable
from wavetank.apiserver.patches import STRATEGIC_PATCH, apply_patch

TABLE = KindTable.builtin()
POD = TABLE.find("", "v1", "pods")
DEPLOYMENT = TABLE.find("apps", "v1", "deployments")


def a_document(**spec: Any) -> dict[str, Any]:
    return {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "a"}, "spec": spec, "status": {}}


def patched(document: dict[str, Any], patch: Any) -> dict[str, Any]:
    return apply_patch(TABLE, POD, document, encode(patch), STRATEGIC_PATCH).document


def names(elements: list[dict[str, Any]], key: str = "name") -> list[Any]:
    return [element[key] for element in elements]


CONTAINERS = [{"name": "a", "image": "1"}, {"name": "b", "image": "2"}]


@pytest.mark.parametrize(
    ("patch", "containers"),
    [
        pytest.param([{"name": "b", "image": "3"}], ["a:1", "b:3"], id="an element is merged where it stands"),
        pytest.param([{"name": "c", "image": "3"}], ["c:3", "a:1", "b:2"], id="a new one is put in front"),
        pytest.param([{"name": "b"}, {"name": "a"}], ["b:2", "a:1"], id="the patch's order counts"),
        pytest.param([{"name": "a", "$patch": "delete"}], ["b:2"], id="delete"),
        pytest.param([{"$patch": "replace"}, {"name": "c", "image": "3"}], ["c:3"], id="replace the list"),
        pytest.param([], ["a:1", "b:2"], id="an empty list changes nothing"),
    ],
)
def test_lists_merge_by_their_key(patch, containers):
    result = patched(a_document(containers=CONTAINERS), {"spec": {"containers": patch}})
    assert [f"{each['name']}:{each['image']}" for each in result["spec"]["containers"]] == containers


@pytest.mark.parametrize(
    ("order", "patch", "expected"),
    [
        pytest.param(["b", "a"], None, ["b", "a"], id="order alone"),
        pytest.param(["a", "c", "b"], [{"name": "c", "image": "3"}], ["a", "c", "b"], id="a new element in its place"),
        pytest.param(["b"], None, ["a", "b"], id="what only the server has stays in front where it was"),
        pytest.param(["c", "b"], [{"name": "c", "image": "3"}], ["c", "a", "b"], id="all together"),
    ],
)
def test_an_order_is_obeyed(order, patch, expected):
    spec: dict[str, Any] = {"$setElementOrder/containers": [{"name": name} for name in order]}
    if patch is not None:
        spec["containers"] = patch
    assert names(patched(a_document(containers=CONTAINERS), {"spec": spec})["spec"]["containers"]) == expected


def test_lists_without_a_key_are_replaced_and_sets_are_united():
    before = a_document(containers=None, tolerations=[{"key": "a"}])
    before["metadata"]["finalizers"] = ["x/a", "x/b"]
    after = patched(before, {"spec": {"tolerations": [{"key": "b"}]}, "metadata": {"finalizers": ["x/c", "x/b"]}})
    assert after["spec"]["tolerations"] == [{"key": "b"}]
    assert after["metadata"]["finalizers"] == ["x/c", "x/a", "x/b"]
    gone = patched(after, {"metadata": {"$deleteFromPrimitiveList/finalizers": ["x/a", "x/z"]}})
    assert gone["metadata"]["finalizers"] == ["x/c", "x/b"]


def test_maps_are_merged_replaced_or_emptied():
    before = a_document(containers=None, nodeSelector={"a": "1", "b": "2"})
    for patch, expected in [
        ({"b": None, "c": "3"}, {"a": "1", "c": "3"}),
        ({"$patch": "replace", "c": "3"}, {"c": "3"}),
        ({"$retainKeys": ["b", "c"], "c": "3"}, {"b": "2", "c": "3"}),
    ]:
        assert patched(before, {"spec": {"nodeSelector": patch}})["spec"]["nodeSelector"] == expected
    assert "nodeSelector" not in patched(before, {"spec": {"nodeSelector": {"$patch": "delete"}}})["spec"]


def test_new_values_lose_their_nulls_and_directives():
    after = patched(
        a_document(containers=None), {"spec": {"nodeSelector": {"a": None, "b": "1"}, "affinity": {"$patch": "delete"}}}
    )
    assert after["spec"] == {"containers": None, "nodeSelector": {"b": "1"}}


def test_volumes_forget_their_old_source():
    before = a_document(containers=None, volumes=[{"name": "v", "emptyDir": {}}])
    patch = {"spec": {"volumes": [{"name": "v", "$retainKeys": ["name", "hostPath"], "hostPath": {"path": "/x"}}]}}
    assert patched(before, patch)["spec"]["volumes"] == [{"name": "v", "hostPath": {"path": "/x"}}]


@pytest.mark.parametrize(
    ("spec", "code", "message"),
    [
        pytest.param(
            {"containers": [{"image": "x"}]},
            500,
            "map: map[image:x] does not contain declared merge key: name",
            id="no merge key",
        ),
        pytest.param(
            {"containers": [5]},
            500,
            "list element types are not identical: [[map[image:1 name:a] map[image:2 name:b]] [5]]",
            id="elements of several types",
        ),
        pytest.param(
            {"containers": [{"name": "a", "$patch": "x"}]},
            500,
            "unknown patch type: x in map: map[$patch:x name:a]",
            id="an unknown directive",
        ),
        pytest.param(
            {"containers": [{"name": "a", "$patch": "merge"}]},
            500,
            "merging lists cannot yet be specified in the patch",
            id="merge cannot be said",
        ),
        pytest.param(
            {"$setElementOrder/containers": [{"name": "b"}], "containers": [{"name": "a"}]},
            500,
            "The order in patch list:\n[map[name:a]]\n doesn't match $setElementOrder list:\n[map[name:b]]\n",
            id="an order without the patch's elements",
        ),
        pytest.param(
            {"$retainKeys": ["x"], "hostname": "y"}, 400, "invalid patch format of retainKeys", id="a key not retained"
        ),
        pytest.param({"$retainKeys": 5}, 400, "invalid patch format of retainKeys", id="keys that are no list"),
        pytest.param(
            {"$deleteFromPrimitiveList": []},
            400,
            "invalid patch format of primitive list",
            id="a directive without a field",
        ),
        pytest.param(
            {"$setElementOrder/foo": []},
            500,
            'unable to find api field in struct PodSpec for the json field "foo"',
            id="an order of nothing",
        ),
    ],
)
def test_mistakes_are_answered_as_the_real_server_does(spec, code, message):
    with pytest.raises(StatusError) as refused:
        patched(a_document(containers=CONTAINERS), {"spec": spec})
    assert (refused.value.code, str(refused.value)) == (code, message)


KEYS = st.sampled_from("abcde")
ELEMENTS = st.lists(
    st.builds(lambda name, image: {"name": name, "image": image}, KEYS, st.sampled_from("12")),
    max_size=4,
    unique_by=lambda each: each["name"],
)


@given(before=ELEMENTS, patch=ELEMENTS)
def test_a_merged_list_has_the_elements_of_both(before, patch):
    after = patched(a_document(containers=before), {"spec": {"containers": patch}})["spec"]["containers"] or []
    images = {each["name"]: each["image"] for each in [*before, *patch]}
    assert {each["name"]: each["image"] for each in after} == images
    assert len(after) == len(images)
    order = names(after)
    assert [name for name in order if name in names(patch)] == names(patch)
    assert [name for name in order if name in set(names(before)) - set(names(patch))] == [
        name for name in names(before) if name not in names(patch)
    ]


@given(before=ELEMENTS, patch=ELEMENTS)
def test_a_patch_applied_twice_is_applied_once(before, patch):
    body = {"spec": {"containers": patch}}
    once = patched(a_document(containers=before), body)
    assert patched(once, body) == once


@given(before=ELEMENTS, patch=ELEMENTS)
def test_a_patch_does_not_change_the_document_it_is_applied_to(before, patch):
    document = a_document(containers=before)
    copy = encode(document)
    patched(document, {"spec": {"containers": patch, "nodeSelector": {"a": "b"}}})
    assert encode(document) == copy
