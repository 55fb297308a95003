from __future__ import annotations

import pytest

from tests.scheduling.config.documents import a_document_with_plugins, a_set
from wavetank.scheduling.config import parse_configuration

ALONE = "PrioritySort DefaultBinder"


def expanded(point, version=(1, 36), **sets):
    (profile,) = parse_configuration(a_document_with_plugins(**sets), version).profiles
    return " ".join(
        f"{plugin.name}={plugin.weight}" if plugin.weight else plugin.name for plugin in profile.plugins[point]
    )


REST = (
    "NodeResourcesFit=1 VolumeBinding=1 PodTopologySpread=2 InterPodAffinity=2 DynamicResources=2"
    " NodeResourcesBalancedAllocation=1"
)


@pytest.mark.parametrize(
    ("sets", "score"),
    [
        pytest.param(
            {"score": a_set("ImageLocality=7")},
            f"ImageLocality=7 TaintToleration=3 NodeAffinity=2 {REST}",
            id="a default enabled at the point goes first, with its own weight",
        ),
        pytest.param(
            {"score": a_set("ImageLocality TaintToleration")},
            f"ImageLocality=1 TaintToleration=1 NodeAffinity=2 {REST}",
            id="an override without a weight weighs 1, not what the default weighs",
        ),
        pytest.param(
            {"score": a_set("TaintToleration=0")},
            f"TaintToleration=1 NodeAffinity=2 {REST} ImageLocality=1",
            id="weight 0 is weight 1",
        ),
        pytest.param(
            {"score": a_set("TaintToleration=9", disabled="TaintToleration")},
            f"NodeAffinity=2 {REST} ImageLocality=1 TaintToleration=9",
            id="disabled and enabled again at the point it goes last",
        ),
        pytest.param(
            {"score": a_set(disabled="TaintToleration ImageLocality")},
            f"NodeAffinity=2 {REST}",
            id="disabled at the point it is left out of the expansion",
        ),
        pytest.param({"score": a_set(disabled="*")}, "", id="a star leaves the point empty"),
        pytest.param(
            {"score": a_set("ImageLocality=2 NodeAffinity", disabled="*")},
            "ImageLocality=2 NodeAffinity=1",
            id="a star leaves only what the point enables",
        ),
        pytest.param({"score": a_set(disabled="NoSuchPlugin")}, None, id="disabling an unknown plugin is nothing"),
        pytest.param(
            {"multiPoint": a_set("NodeAffinity=8")},
            f"TaintToleration=3 NodeAffinity=8 {REST} ImageLocality=1",
            id="a default enabled again at multiPoint keeps its place",
        ),
        pytest.param(
            {"multiPoint": a_set("TaintToleration", disabled="TaintToleration")},
            f"NodeAffinity=2 {REST} ImageLocality=1 TaintToleration=1",
            id="disabled and enabled again at multiPoint it goes last",
        ),
        pytest.param(
            {"multiPoint": a_set(f"{ALONE} ImageLocality=4", disabled="*"), "score": a_set("NodeAffinity=2")},
            "ImageLocality=4 NodeAffinity=2",
            id="what only the point enables goes after what multiPoint does",
        ),
        pytest.param(
            {"multiPoint": a_set("NodeAffinity=8"), "score": a_set("NodeAffinity=5")},
            f"NodeAffinity=5 TaintToleration=3 {REST} ImageLocality=1",
            id="the weight at the point wins over that at multiPoint",
        ),
        pytest.param(
            {"multiPoint": a_set("ImageLocality=-5")},
            f"TaintToleration=3 NodeAffinity=2 {REST} ImageLocality=-5",
            id="a negative weight at the end passes",
        ),
        pytest.param(
            {"multiPoint": a_set("ImageLocality=3 ImageLocality=4"), "score": a_set("ImageLocality=2")},
            f"ImageLocality=2 TaintToleration=3 NodeAffinity=2 {REST}",
            id="twice at multiPoint passes where no point is left to it",
        ),
    ],
)
def test_scoring_plugins_are_merged_as_the_framework_does(sets, score):
    default = f"TaintToleration=3 NodeAffinity=2 {REST} ImageLocality=1"
    assert expanded("score", **sets) == (default if score is None else score)


@pytest.mark.parametrize(
    ("point", "sets", "plugins"),
    [
        pytest.param(
            "filter",
            {"filter": a_set(disabled="*"), "multiPoint": a_set("NodeName")},
            "",
            id="a star at the point also holds off multiPoint",
        ),
        pytest.param(
            "preFilter",
            {"filter": a_set(disabled="*")},
            "NodeAffinity NodePorts NodeResourcesFit VolumeRestrictions NodeVolumeLimits VolumeBinding VolumeZone"
            " PodTopologySpread InterPodAffinity DynamicResources NodeDeclaredFeatures",
            id="a star concerns its own point only",
        ),
        pytest.param(
            "postFilter",
            {"multiPoint": a_set(disabled="DefaultPreemption")},
            "DynamicResources",
            id="disabled at multiPoint it is gone everywhere",
        ),
        pytest.param(
            "permit",
            {"multiPoint": a_set("GangScheduling")},
            "GangScheduling",
            id="a plugin that is off by default can be enabled",
        ),
        pytest.param(
            "filter",
            {"multiPoint": a_set(ALONE, disabled="*"), "filter": a_set("NodePorts NodeName")},
            "NodePorts NodeName",
            id="what the points enable keeps the order written",
        ),
    ],
)
def test_each_point_gets_what_multipoint_and_its_own_set_give(point, sets, plugins):
    assert expanded(point, **sets) == plugins


def test_release_1_31_knows_the_old_volume_limits_at_multipoint_only():
    assert expanded("filter", (1, 31), multiPoint=a_set("EBSLimits")).endswith("EBSLimits")
