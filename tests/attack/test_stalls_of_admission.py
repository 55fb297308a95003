"""Policies, webhooks and roles that take long give the event loop back, with the same answers."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

import pytest

from tests.apiserver.inprocess import MAPS, PODS, Caller
from tests.apiserver.webhooks.hooks import Hooked, allow, patch
from tests.attack.watching import Threads, served
from wavetank.apiserver import waiting
from wavetank.apiserver.admission import limits
from wavetank.apiserver.admission.policies import admission as policies
from wavetank.apiserver.admission.policies import typechecking
from wavetank.apiserver.admission.policies.policy import Policy
from wavetank.apiserver.admission.policies.table import PolicyTable
from wavetank.apiserver.admission.webhooks import admission as webhooks
from wavetank.apiserver.admission.webhooks import conditions, matching
from wavetank.apiserver.admission.webhooks.conditions import ConditionError, MatchCondition, all_hold
from wavetank.apiserver.authorization.attributes import Attributes
from wavetank.apiserver.authorization.rbac import Rbac
from wavetank.apiserver.requests.request import User
from wavetank.apiserver.verbs import writing
from wavetank.apiserver.waiting import run_waiting
from wavetank.cel.checker import Checked

GROUP = "/apis/admissionregistration.k8s.io/v1"
POLICIES, BINDINGS = f"{GROUP}/validatingadmissionpolicies", f"{GROUP}/validatingadmissionpolicybindings"
RULE = {"apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"], "operations": ["*"]}
LOOP, NO_LOOP = "object.data.all(k, k.startsWith('k'))", "size(object.data) > 0"


def a_policy(caller: Caller, *expressions: str, name: str = "p", **spec: Any) -> None:
    """Creates a policy that is bound."""
    stated = {"matchConstraints": {"resourceRules": [RULE]}, "validations": [{"expression": e} for e in expressions]}
    caller.create(POLICIES, {"metadata": {"name": name}, "spec": {**stated, **spec}})
    caller.create(BINDINGS, {"metadata": {"name": name}, "spec": {"policyName": name, "validationActions": ["Deny"]}})


def a_map(size: int = 1, **data: str) -> dict[str, Any]:
    return {"metadata": {"name": "a"}, "data": {**{f"k{i}": "v" for i in range(size)}, **data}}


@pytest.mark.parametrize(
    ("expression", "size", "beside"),
    [
        pytest.param(LOOP, 1, True, id="a loop"),
        pytest.param(NO_LOOP, 1, False, id="no loop"),
        pytest.param(NO_LOOP, 5000, True, id="a large object"),
    ],
)
def test_a_policy_that_may_take_long_is_evaluated_beside_the_loop(
    expression: str, size: int, beside: bool, threads: Threads
) -> None:
    calls = threads(policies, "evaluate_policy")
    caller = Caller()
    a_policy(caller, expression)
    assert served(caller, "POST", MAPS, a_map(size)).status == 201
    assert calls == [beside]


def test_a_costly_policy_still_refuses() -> None:
    caller = Caller()
    a_policy(caller, LOOP)
    answer = served(caller, "POST", MAPS, a_map(1, other="v"))
    assert answer.status == 422
    assert answer.body["message"].endswith(f"denied request: failed expression: {LOOP}")


def test_objects_that_are_created_while_a_policy_is_evaluated_have_uids_of_their_own() -> None:
    caller = Caller()
    a_policy(caller, LOOP)

    async def several() -> list[str]:
        maps = [{"metadata": {"name": f"m{i}"}, "data": {"k": "v"}} for i in range(5)]
        answers = await asyncio.gather(*(run_waiting(partial(caller.ask, "POST", MAPS, each)) for each in maps))
        return [answer.body["metadata"]["uid"] for answer in answers]

    assert len(set(asyncio.run(several()))) == 5


@pytest.mark.parametrize(
    ("spec", "costly"),
    [
        pytest.param({"validations": [{"expression": "object.a == 1"}]}, False, id="plain"),
        pytest.param({"validations": [{"expression": "object.a . exists (x, x)"}]}, True, id="a loop with spaces"),
        pytest.param({"variables": [{"name": "a", "expression": "[1].map(x, x)"}]}, True, id="a variable"),
        pytest.param({"matchConditions": [{"name": "a", "expression": "[1].all(x, x > 0)"}]}, True, id="a condition"),
        pytest.param({"validations": [{"expression": "true", "messageExpression": "[''].filter(x, x)[0]"}]}, True,
                     id="a message"),
        pytest.param({"validations": [{"expression": "'a'.replace('a', object.b).findAll('a') == []"}]}, True,
                     id="a text that becomes long"),
        pytest.param({"validations": [{"expression": "true"}] * 1000}, True, id="many expressions"),
        pytest.param({"validations": [{"expression": "true && " * 5000 + "true"}]}, True, id="a long expression"),
    ],
)  # fmt: skip
def test_loops_and_long_expressions_are_costly(spec: dict[str, Any], costly: bool) -> None:
    assert Policy("p", spec).is_costly is costly


@pytest.mark.parametrize(
    "expression",
    [
        pytest.param("lists.range(100).all(a, lists.range(100).all(b, lists.range(100).all(c, true)))", id="loops"),
        pytest.param("object.data.k0" + ".replace('v', 'vvvvvvvvvvvvvvvvvvvv')" * 6 + " != ''", id="a long text"),
    ],
)
def test_an_expression_of_a_policy_may_cost_as_much_as_in_the_real_server(expression: str) -> None:
    caller = Caller()
    a_policy(caller, expression)
    answer = caller.ask("POST", MAPS, a_map())
    assert answer.status == 422
    assert "operation cancelled: actual cost limit exceeded" in answer.body["message"]


def test_the_conditions_of_a_webhook_may_cost_two_and_a_half_times_as_much_together() -> None:
    loop = MatchCondition("a", "lists.range(100).all(a, lists.range(500).all(b, a != b || true))")
    assert all_hold([loop], {})
    with pytest.raises(ConditionError, match="actual cost limit exceeded"):
        all_hold([loop] * 7, {})


def test_only_a_policy_that_has_changed_is_compiled_again() -> None:
    caller = Caller()
    table = PolicyTable(caller.store)
    a_policy(caller, "true", name="a")
    a_policy(caller, "true", name="b")
    before = [policy for policy, _ in table.bound]
    caller.ask("PATCH", f"{POLICIES}/b", b'{"spec":{"failurePolicy":"Ignore"}}',
               content_type="application/merge-patch+json")  # fmt: skip
    after = [policy for policy, _ in table.bound]
    assert [policy.name for policy in after] == ["a", "b"]
    assert after[0] is before[0]
    assert after[1] is not before[1]


def test_the_variables_of_a_policy_are_typed_once_for_each_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    caller = Caller()
    names = [f"v{i}" for i in range(20)]
    stated = [{"name": name, "expression": f"variables.{before}" if before else "1"}
              for name, before in zip(names, ["", *names], strict=False)]  # fmt: skip
    validations = [{"expression": "variables.v19 == 'a'"}] * 20
    spec = {"matchConstraints": {"resourceRules": [RULE]}, "variables": stated, "validations": validations}
    checked = []
    monkeypatch.setattr(typechecking, "Checked", lambda text, known: checked.append(text) or Checked(text, known))
    warnings = caller.api.policy_warnings(spec)
    assert len(warnings) == 20
    assert "found no matching overload for '_==_' applied to '(int, string)'" in warnings[0]["warning"]
    assert len(checked) == 40


def test_rules_about_a_resource_are_looked_for_once_among_many(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at = []
    original = matching._is_about
    monkeypatch.setattr(matching, "_is_about", lambda *asked: looked_at.append(1) or original(*asked))
    caller = Caller()
    rules = [{**RULE, "resources": [f"r{i}"]} for i in range(100)]
    a_policy(caller, "false", matchConstraints={"resourceRules": [*rules, RULE]})
    assert [caller.ask("POST", MAPS, a_map()).status for _ in range(3)] == [422] * 3
    assert len(looked_at) == 101


@pytest.mark.parametrize(("size", "beside"), [(1, False), (5000, True)])
def test_a_large_review_is_written_beside_the_loop(size: int, beside: bool, threads: Threads) -> None:
    calls = [threads(webhooks, name) for name in ("encode_review", "apply_operations", "set_defaults")]
    caller = Hooked()
    caller.add("change", patch({"op": "add", "path": "/data/new", "value": "v"}))
    answer = served(caller, "POST", MAPS, a_map(size))
    assert answer.body["data"]["new"] == "v"
    assert calls == [[beside]] * 3


def test_conditions_with_loops_are_evaluated_beside_the_loop(threads: Threads) -> None:
    calls = threads(conditions, "evaluate")
    caller = Hooked()
    for name, expression in (("never", "object.data.all(k, false)"), ("always", "true")):
        caller.add(name, allow, mutating=False,
                   matchConditions=[{"name": "c", "expression": expression}])  # fmt: skip
    assert served(caller, "POST", MAPS, a_map()).status == 201
    assert caller.names == ["always"]
    assert sorted(calls) == [False, True]


def test_a_user_with_many_rules_is_authorized_in_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "_SLICE_S", 0.0)
    caller = Caller()
    group = "rbac.authorization.k8s.io"
    rules = [{"apiGroups": [""], "resources": [f"r{i}"], "verbs": ["get"]} for i in range(20)]
    caller.create(f"/apis/{group}/v1/clusterroles", {"metadata": {"name": "r"}, "rules": rules})
    binding = {"roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": "r"},
               "subjects": [{"apiGroup": group, "kind": "User", "name": "joe"}]}  # fmt: skip
    caller.create(f"/apis/{group}/v1/clusterrolebindings", {"metadata": {"name": "r"}, **binding})
    ticks = 0

    async def decide() -> bool:
        nonlocal ticks
        asked = partial(Rbac(caller.store).authorize, User("joe", ()), Attributes("get", "", "r19", "default", "a", ""))
        task = asyncio.create_task(run_waiting(asked))
        while not task.done():
            ticks += 1
            await asyncio.sleep(0)
        return task.result().allowed

    assert asyncio.run(decide())
    assert ticks > 10


@pytest.mark.parametrize(("amounts", "beside"), [(2, False), (1000, True)])
def test_a_small_pod_that_gets_many_amounts_is_checked_beside_the_loop(
    amounts: int, beside: bool, threads: Threads
) -> None:
    calls = [threads(limits, "_set_defaults"), threads(writing, "validate_create")]
    caller = Caller()
    most = {f"a.io/r{i}": "1" for i in range(amounts)}
    spec = {"limits": [{"type": "Container", "max": most}]}
    caller.create("/api/v1/namespaces/default/limitranges", {"metadata": {"name": "l"}, "spec": spec})
    calls[1].clear()
    pod = {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    answer = served(caller, "POST", PODS, pod)
    assert answer.body["spec"]["containers"][0]["resources"]["limits"] == most
    assert calls == [[beside], [beside]]
