"""Quotas and their use in a tree of cohorts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from wavetank.cluster.objects.kueue import ClusterQueue, Cohort
from wavetank.controllers.kueue.objects.clusterqueues import ClusterQueueSpec, CohortSpec
from wavetank.controllers.kueue.quota.hierarchy import Hierarchy
from wavetank.controllers.kueue.quota.nodes import ClusterQueueNode, CohortNode

FR = ("x", "gpu")
Limit = st.none() | st.integers(0, 12)


def groups(nominal: int, borrowing: int | None, lending: int | None) -> list[dict[str, object]]:
    limits = {"borrowingLimit": borrowing, "lendingLimit": None if lending is None else min(nominal, lending)}
    quota = {"name": "gpu", "nominalQuota": nominal, **{k: v for k, v in limits.items() if v is not None}}
    return [{"coveredResources": ["gpu"], "flavors": [{"name": "x", "resources": [quota]}]}]


def a_tree(quotas: list[tuple[int, int | None, int | None]]) -> Hierarchy:
    """Returns queues q0, q1, … in the cohorts left and right of a root."""
    hierarchy = Hierarchy()
    for name in ("left", "right"):
        cohort = Cohort({"metadata": {"name": name}, "spec": {"parentName": "root"}})
        hierarchy.put_cohort(CohortSpec.parse(cohort))
    for i, quota in enumerate(quotas):
        spec = {"cohortName": ("left", "right")[i % 2], "resourceGroups": groups(*quota)}
        hierarchy.put_queue(ClusterQueueSpec.parse(ClusterQueue({"metadata": {"name": f"q{i}"}, "spec": spec})))
    return hierarchy


def usage_of_parents(hierarchy: Hierarchy) -> dict[str, int]:
    """Returns what each cohort uses, added up from its children."""

    def of(node: CohortNode) -> int:
        children = [*node.cohorts.values(), *node.queues.values()]
        used = ((each, of(each) if isinstance(each, CohortNode) else each.usage.get(FR, 0)) for each in children)
        return sum(max(0, amount - each.local.get(FR, 0)) for each, amount in used)

    return {name: of(node) for name, node in hierarchy.cohorts.items()}


Quotas = st.lists(st.tuples(st.integers(0, 12), Limit, Limit), min_size=2, max_size=5)


@given(Quotas, st.lists(st.tuples(st.integers(0, 4), st.integers(0, 9), st.booleans()), max_size=20))
def test_the_usage_of_cohorts_is_what_their_children_use_of_lent_quota(
    quotas: list[tuple[int, int | None, int | None]], steps: list[tuple[int, int, bool]]
) -> None:
    hierarchy = a_tree(quotas)
    for number, amount, adds in steps:
        node = hierarchy.queues[f"q{number % len(quotas)}"]
        if adds:
            node.add(FR, amount)
        else:
            node.remove(FR, min(amount, node.usage.get(FR, 0)))
        assert {name: each.usage.get(FR, 0) for name, each in hierarchy.cohorts.items()} == usage_of_parents(hierarchy)


@given(Quotas, st.lists(st.tuples(st.integers(0, 4), st.integers(0, 9)), max_size=12))
def test_no_more_is_available_than_could_be_and_than_the_whole_tree_has(
    quotas: list[tuple[int, int | None, int | None]], wanted: list[tuple[int, int]]
) -> None:
    hierarchy = a_tree(quotas)
    for number, amount in wanted:
        node = hierarchy.queues[f"q{number % len(quotas)}"]
        if amount <= node.free(FR):
            node.add(FR, amount)
    total = sum(nominal for nominal, _, _ in quotas)
    assert sum(node.usage.get(FR, 0) for node in hierarchy.queues.values()) <= total
    for node in hierarchy.queues.values():
        assert node.available(FR) <= node.potential(FR)
        assert node.usage.get(FR, 0) <= _most(node)


def _most(node: ClusterQueueNode) -> int:
    limit = node.quotas[FR].borrowing_limit
    return 10**9 if limit is None else node.nominal(FR) + limit
