from __future__ import annotations

import pytest

from tests.controllers.clusterautoscaler.groups import a_group, a_template
from wavetank.controllers.clusterautoscaler.options import Options
from wavetank.controllers.clusterautoscaler.scaleup.similar import are_similar, divide


@pytest.mark.parametrize(
    ("sizes", "nodes", "expected"),
    [
        pytest.param({"a": (1, 5), "b": (2, 8)}, 2, {"a": 3}, id="the smallest grows until it is larger than the next"),
        pytest.param({"a": (1, 5), "b": (1, 5)}, 4, {"a": 3, "b": 3}, id="equal groups in turn"),
        pytest.param({"a": (0, 1), "b": (3, 9)}, 3, {"a": 1, "b": 5}, id="a full group is left out"),
        pytest.param({"a": (0, 1), "b": (1, 2)}, 9, {"a": 1, "b": 2}, id="no more than all can hold"),
    ],
)
def test_new_nodes_are_divided(sizes: dict[str, tuple[int, int]], nodes: int, expected: dict[str, int]) -> None:
    groups = [a_group(name, target, most) for name, (target, most) in sizes.items()]
    assert {resize.group: resize.after for resize in divide(groups, nodes)} == expected


@pytest.mark.parametrize(
    ("other", "similar"),
    [
        pytest.param({"zone": "z2"}, True, id="another zone"),
        pytest.param({"memory": "8300Mi"}, True, id="memory within 1.5 %"),
        pytest.param({"memory": "9Gi"}, False, id="more memory"),
        pytest.param({"cpu": "5"}, False, id="more CPU"),
        pytest.param({"labels": {"disk": "ssd"}}, False, id="another label"),
    ],
)
def test_groups_are_similar_if_their_templates_are(other: dict[str, str], similar: bool) -> None:
    assert are_similar(a_template(zone="z1"), a_template(**other), Options()) is similar


def test_ignored_labels_do_not_matter() -> None:
    options = Options(balancing_ignore_label=("disk",))
    assert are_similar(a_template(), a_template(labels={"disk": "ssd"}), options)
