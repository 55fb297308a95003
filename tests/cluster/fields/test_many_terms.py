"""Very many tolerations and node terms are looked up, with the same answers as one by one."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cluster.fields.test_taints import TAINTS, TOLERATIONS
from wavetank.cluster.fields.selectors import NodeSelector, NodeSelectorTerm, Requirement
from wavetank.cluster.fields.taints import Taint, Toleration, Tolerations
from wavetank.cluster.fields.termindex import MANY_TERMS, NodeTermIndex
from wavetank.cluster.objects.podspec import SpecTable

KEYS, VALUES, NAMES = st.sampled_from("abc"), st.sampled_from(["1", "2", "3"]), st.sampled_from(["n", "m"])
REQUIREMENTS = st.one_of(
    st.builds(Requirement, KEYS, st.sampled_from(["In", "NotIn"]), st.frozensets(VALUES, min_size=1)),
    st.builds(Requirement, KEYS, st.sampled_from(["Exists", "DoesNotExist"])),
    st.builds(Requirement, KEYS, st.sampled_from(["Gt", "Lt"]), VALUES.map(lambda value: frozenset({value}))),
)
FIELDS = st.builds(
    Requirement, st.just("metadata.name"), st.sampled_from(["In", "NotIn"]), NAMES.map(lambda name: frozenset({name}))
)
TERMS = st.builds(NodeSelectorTerm, st.frozensets(REQUIREMENTS, max_size=3), st.frozensets(FIELDS, max_size=1))


@given(st.lists(TERMS, max_size=20), st.dictionaries(KEYS, VALUES), NAMES)
def test_an_index_finds_the_terms_that_a_node_meets(
    terms: list[NodeSelectorTerm], labels: dict[str, str], name: str
) -> None:
    expected = [place for place, term in enumerate(terms) if term.matches(labels, name)]
    assert sorted(NodeTermIndex(terms).matching(labels, name)) == expected


@given(st.lists(TOLERATIONS, max_size=4), TAINTS)
def test_many_tolerations_accept_what_any_of_them_tolerates(few: list[Toleration], taint: Taint) -> None:
    many = Tolerations((*few, *(Toleration(f"other-{i}", "Exists") for i in range(50))))
    assert many.accept(taint) == Tolerations(tuple(few)).accept(taint)


def test_few_of_many_terms_are_compared_with_a_node(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[NodeSelectorTerm] = []
    matches = NodeSelectorTerm.matches

    def counted(term: NodeSelectorTerm, labels: Any, name: str) -> bool:
        asked.append(term)
        return matches(term, labels, name)

    terms = [NodeSelectorTerm(frozenset({Requirement(f"k{i}", "Exists")})) for i in range(100 * MANY_TERMS)]
    selector = NodeSelector(frozenset(terms))
    monkeypatch.setattr(NodeSelectorTerm, "matches", counted)
    assert not selector.matches({"other": "1"}, "n")
    assert selector.matches({"k5": "1"}, "n")
    assert asked == [terms[5]]


def test_equal_large_specs_are_one_as_long_as_a_pod_has_it() -> None:
    specs = SpecTable()
    containers = [{"name": f"c{i}", "image": "i" * 100} for i in range(1000)]
    spec = specs.intern({"containers": containers})
    assert specs.intern({"containers": list(containers), "nodeName": "n"}) is spec
    assert len(specs) == 0  # it is not kept
