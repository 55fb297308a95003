from __future__ import annotations

import pytest

from tests.apiserver.inprocess import MAPS, Caller, a_map


@pytest.fixture
def caller() -> Caller:
    caller = Caller()
    for name in ("c", "a", "e", "b", "d"):
        caller.create(MAPS, a_map(name, labels={"odd": str(name in "ace")}))
    return caller


def test_a_list_is_in_the_order_of_names(caller: Caller) -> None:
    assert caller.get(MAPS).names == ["a", "b", "c", "d", "e"]


def test_pages_show_the_state_of_the_first_one(caller: Caller) -> None:
    first = caller.get(f"{MAPS}?limit=2")
    assert (first.names, first.body["metadata"]["remainingItemCount"]) == (["a", "b"], 3)
    caller.create(MAPS, a_map("bb"))
    caller.ask("DELETE", f"{MAPS}/d")
    second = caller.get(f"{MAPS}?limit=2&continue={first.body['metadata']['continue']}")
    assert (second.names, second.version) == (["c", "d"], first.version)
    third = caller.get(f"{MAPS}?limit=2&continue={second.body['metadata']['continue']}")
    assert third.names == ["e"]
    assert "continue" not in third.body["metadata"]


def test_a_forgotten_page_offers_to_go_on_at_the_present() -> None:
    caller = Caller(history=3)
    for name in "abcd":
        caller.create(MAPS, a_map(name))
    token = caller.get(f"{MAPS}?limit=1").body["metadata"]["continue"]
    for i in range(5):
        caller.merge(f"{MAPS}/a", {"data": {"k": str(i)}})
    answer = caller.get(f"{MAPS}?limit=1&continue={token}")
    assert (answer.status, answer.body["reason"]) == (410, "Expired")
    again = caller.get(f"{MAPS}?continue={answer.body['metadata']['continue']}")
    assert again.names == ["b", "c", "d"]


@pytest.mark.parametrize(
    ("query", "names"),
    [
        pytest.param("limit=2&resourceVersion=0", "abcde", id="any version: the limit is ignored"),
        pytest.param("limit=-1", "abcde", id="a negative limit"),
        pytest.param("labelSelector=odd=True&limit=2", "ac", id="a selector and a limit"),
        pytest.param("resourceVersion={first}", "abcde", id="not older than"),
        pytest.param("resourceVersion={first}&resourceVersionMatch=NotOlderThan&limit=9", "abcde", id="by name"),
        pytest.param("resourceVersion={first}&resourceVersionMatch=Exact", "c", id="exactly"),
        pytest.param("resourceVersion={first}&limit=9", "c", id="exactly, since there is a limit"),
    ],
)
def test_what_a_resource_version_means(caller: Caller, query: str, names: str) -> None:
    first = caller.get(f"{MAPS}/c").version
    assert caller.get(f"{MAPS}?{query.format(first=first)}").names == list(names)


@pytest.mark.parametrize(
    ("query", "status", "message"),
    [
        ("resourceVersion=abc", 400, 'invalid resource version: resourceVersion: Invalid value: "abc"'),
        ("resourceVersion=999999", 504, "Timeout: Too large resource version: 999999, current: "),
        ("resourceVersionMatch=Exact", 422, "resourceVersionMatch is forbidden unless resourceVersion is provided"),
        ("resourceVersion=0&resourceVersionMatch=Exact", 422, 'is forbidden for resourceVersion "0"'),
        ("resourceVersion=1&resourceVersionMatch=Odd", 422, 'supported values: "Exact", "NotOlderThan", ""'),
        ("sendInitialEvents=true", 422, "sendInitialEvents is forbidden for list"),
        ("limit=x", 400, 'strconv.ParseInt: parsing "x": invalid syntax'),
        ("continue=%21", 400, "invalid continue token: continue key is not valid: illegal base64 data"),
        ("continue=e30", 400, "invalid continue token"),
        ("continue={token}&resourceVersion=3", 400, "specifying resource version is not allowed when using continue"),
    ],
)
def test_what_makes_no_sense_is_refused(caller: Caller, query: str, status: int, message: str) -> None:
    token = caller.get(f"{MAPS}?limit=1").body["metadata"]["continue"]
    answer = caller.get(f"{MAPS}?{query.format(token=token)}")
    assert answer.status == status
    assert message in answer.body["message"]


def test_a_future_version_asks_for_patience(caller: Caller) -> None:
    for target in (f"{MAPS}?resourceVersion=99999", f"{MAPS}/a?resourceVersion=99999"):
        answer = caller.get(target)
        assert (answer.status, answer.headers["retry-after"]) == (504, "1")


def test_a_namespace_comes_before_those_whose_names_it_begins(caller: Caller) -> None:
    for name in ("default-b", "defaultc"):
        caller.create("/api/v1/namespaces", {"metadata": {"name": name}})
        caller.create(f"/api/v1/namespaces/{name}/configmaps", a_map("z"))
    found = [item["metadata"]["namespace"] for item in caller.get("/api/v1/configmaps").body["items"]]
    assert list(dict.fromkeys(found)) == ["default-b", "default", "defaultc", "kube-system"]  # '-' < '/' < 'c'
