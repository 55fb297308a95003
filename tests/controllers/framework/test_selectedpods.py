from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.controllers.clusters import ControllerCluster
from tests.support.objects import pod_manifest
from wavetank.cluster.fields.selectors import LabelSelector
from wavetank.controllers.framework.selectedpods import SelectedPods

LABELS = st.dictionaries(st.sampled_from("ab"), st.sampled_from("xy"), max_size=2)
STEP = st.one_of(
    st.tuples(st.just("put"), st.sampled_from("ST"), LABELS),
    st.tuples(st.just("drop"), st.sampled_from("ST"), st.just({})),
    st.tuples(st.just("create"), st.sampled_from("pqr"), LABELS),
    st.tuples(st.just("relabel"), st.sampled_from("pqr"), LABELS),
    st.tuples(st.just("delete"), st.sampled_from("pqr"), st.just({})),
)


def labelled(name: str, labels: dict[str, str]) -> dict[str, object]:
    return pod_manifest(name, labels=labels)


@given(st.lists(STEP, max_size=12), st.integers(0, 12))
def test_the_selected_pods_are_those_whose_labels_match(
    steps: list[tuple[str, str, dict[str, str]]], starts: int
) -> None:
    """The objects that are there at the start are taken over, those that come later are added."""
    cluster = ControllerCluster("endpoint")
    selectors: dict[str, LabelSelector] = {}
    for step in steps[:starts]:
        change(cluster, None, selectors, *step)
    known = [(("default", key), each) for key, each in selectors.items()]
    selected = SelectedPods(cluster.store, lambda key: None, known)
    for step in steps[starts:]:
        change(cluster, selected, selectors, *step)
    for name, selector in selectors.items():
        pods = [pod.name for pod in cluster.store.list("Pod") if selector.matches(pod.labels)]
        assert sorted(pod.name for pod in selected.of(("default", name))) == sorted(pods)


def change(
    cluster: ControllerCluster,
    selected: SelectedPods | None,
    selectors: dict[str, LabelSelector],
    verb: str,
    name: str,
    labels: dict[str, str],
) -> None:
    """Makes one change of a selector or a pod."""
    pod = cluster.store.find("Pod", "default", name)
    if verb == "put":
        selectors[name] = LabelSelector.parse({"matchLabels": labels})
        if selected is not None:
            selected.put(("default", name), selectors[name])
    elif verb == "drop":
        selectors.pop(name, None)
        if selected is not None:
            selected.drop(("default", name))
    elif verb == "create" and pod is None:
        cluster.create(labelled(name, labels))
    elif verb == "relabel" and pod is not None:
        new = pod.copy()
        new.labels = labels
        cluster.store.update(new)
    elif verb == "delete" and pod is not None:
        cluster.store.delete(pod)


def test_labels_are_compared_once_for_all_versions_of_a_pod_that_share_them(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: Counter[str] = Counter()
    matches = LabelSelector.matches
    monkeypatch.setattr(LabelSelector, "matches", lambda *each: calls.update(["matches"]) or matches(*each))
    cluster, told = ControllerCluster("endpoint"), []
    selected = SelectedPods(cluster.store, told.append)
    selected.put(("default", "s"), LabelSelector.parse({"matchLabels": {"a": "x"}}))
    cluster.create(labelled("p", {"a": "x"}))
    for _ in range(3):
        cluster.store.update(cluster.get("Pod", "p").copy())
    assert calls["matches"] == 1
    assert told == [("default", "s")] * 4
