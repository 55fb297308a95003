"""Checks of very many items give the same answers as comparing each with each other one."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from wavetank.apiserver.validation.pods.placement import check_spreading
from wavetank.apiserver.validation.pods.podupdates import check_pod_update
from wavetank.apiserver.validation.pods.podwarnings import _address, _overlap, _overlaps

PORTS = st.fixed_dictionaries(
    {"containerPort": st.sampled_from([1, 2]), "protocol": st.sampled_from(["TCP", "UDP"])},
    optional={"hostPort": st.sampled_from([1, 2]), "hostIP": st.sampled_from(["", "10.0.0.1", "10.0.0.2"])},
)
CONSTRAINTS = st.fixed_dictionaries(
    {
        "maxSkew": st.just(1),
        "topologyKey": st.sampled_from("abc"),
        "whenUnsatisfiable": st.sampled_from(["DoNotSchedule", "ScheduleAnyway"]),
    }
)


@given(st.lists(PORTS, max_size=12))
def test_ports_overlap_as_each_pair_of_them_does(ports: list[dict[str, Any]]) -> None:
    placed = [(f"ports[{i}]", port) for i, port in enumerate(ports)]
    expected = [
        text
        for i, (where, port) in enumerate(placed)
        for other_place, other in placed[:i]
        if _address(port)[:2] == _address(other)[:2]
        for text in _overlap(port, other, where, other_place)
    ]
    assert list(_overlaps(placed)) == expected


@given(st.lists(CONSTRAINTS, max_size=8))
def test_a_constraint_is_refused_if_an_equal_one_follows(constraints: list[dict[str, Any]]) -> None:
    pairs = [(each["topologyKey"], each["whenUnsatisfiable"]) for each in constraints]
    expected = [
        f"spec.topologySpreadConstraints[{i}].{{topologyKey, whenUnsatisfiable}}"
        for i, pair in enumerate(pairs)
        if pair in pairs[i + 1 :]
    ]
    errors = check_spreading({"topologySpreadConstraints": constraints}, "spec")
    assert [error.field for error in errors if "topologyKey," in error.field] == expected


def test_the_seconds_of_a_toleration_may_change_and_nothing_else_of_it() -> None:
    def refused(old: list[dict[str, Any]], new: list[dict[str, Any]]) -> bool:
        made = ({"metadata": {"name": "p"}, "spec": {"containers": [], "tolerations": each}} for each in (new, old))
        return any("existing toleration" in str(error) for error in check_pod_update(*made))

    given_ = {"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 5}
    assert not refused([given_], [{**given_, "tolerationSeconds": 6}, {"key": "b", "operator": "Exists"}])
    assert refused([given_], [{**given_, "key": "b"}])
