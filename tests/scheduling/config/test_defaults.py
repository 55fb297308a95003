from __future__ import annotations

import pytest

from tests.scheduling.config.documents import a_document
from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND
from wavetank.scheduling.config import (
    EXTENSION_POINTS,
    DefaultPreemptionArgs,
    DynamicResourcesArgs,
    InterPodAffinityArgs,
    NodeAffinityArgs,
    NodeResourcesBalancedAllocationArgs,
    NodeResourcesFitArgs,
    PodTopologySpreadArgs,
    ResourceSpec,
    VolumeBindingArgs,
    default_configuration,
    parse_configuration,
)

# As upstream's own tests list them for each release (pkg/scheduler/apis/config/testing/defaults).
EXPANDED = {
    (1, 29): {
        "preEnqueue": "SchedulingGates",
        "queueSort": "PrioritySort",
        "preFilter": "NodeAffinity NodePorts NodeResourcesFit VolumeRestrictions EBSLimits GCEPDLimits NodeVolumeLimits"
        " AzureDiskLimits VolumeBinding VolumeZone PodTopologySpread InterPodAffinity",
        "filter": "NodeUnschedulable NodeName TaintToleration NodeAffinity NodePorts NodeResourcesFit"
        " VolumeRestrictions EBSLimits GCEPDLimits NodeVolumeLimits AzureDiskLimits VolumeBinding VolumeZone"
        " PodTopologySpread InterPodAffinity",
        "postFilter": "DefaultPreemption",
        "preScore": "TaintToleration NodeAffinity NodeResourcesFit PodTopologySpread InterPodAffinity"
        " NodeResourcesBalancedAllocation",
        "score": "TaintToleration=3 NodeAffinity=2 NodeResourcesFit=1 VolumeBinding=1 PodTopologySpread=2"
        " InterPodAffinity=2 NodeResourcesBalancedAllocation=1 ImageLocality=1",
        "reserve": "VolumeBinding",
        "preBind": "VolumeBinding",
        "bind": "DefaultBinder",
    },
    (1, 35): {
        "preEnqueue": "SchedulingGates DynamicResources DefaultPreemption",
        "queueSort": "PrioritySort",
        "preFilter": "NodeAffinity NodePorts NodeResourcesFit VolumeRestrictions NodeVolumeLimits VolumeBinding"
        " VolumeZone PodTopologySpread InterPodAffinity DynamicResources",
        "filter": "NodeUnschedulable NodeName TaintToleration NodeAffinity NodePorts NodeResourcesFit"
        " VolumeRestrictions NodeVolumeLimits VolumeBinding VolumeZone PodTopologySpread InterPodAffinity"
        " DynamicResources",
        "postFilter": "DynamicResources DefaultPreemption",
        "preScore": "TaintToleration NodeAffinity NodeResourcesFit VolumeBinding PodTopologySpread InterPodAffinity"
        " NodeResourcesBalancedAllocation",
        "score": "TaintToleration=3 NodeAffinity=2 NodeResourcesFit=1 VolumeBinding=1 PodTopologySpread=2"
        " InterPodAffinity=2 DynamicResources=2 NodeResourcesBalancedAllocation=1 ImageLocality=1",
        "reserve": "VolumeBinding DynamicResources",
        "preBind": "VolumeBinding DynamicResources",
        "bind": "DefaultBinder",
    },
}
EXPANDED[1, 36] = EXPANDED[1, 35] | {
    "preFilter": EXPANDED[1, 35]["preFilter"] + " NodeDeclaredFeatures",
    "filter": EXPANDED[1, 35]["filter"] + " NodeDeclaredFeatures",
    "placementScore": "NodeResourcesFit=1",
}

CPU_AND_MEMORY = (ResourceSpec("cpu", 1), ResourceSpec("memory", 1))
ARGS = {
    "DefaultPreemption": DefaultPreemptionArgs(10, 100),
    "DynamicResources": DynamicResourcesArgs(10 * SECOND, 600 * SECOND),
    "InterPodAffinity": InterPodAffinityArgs(1, False),
    "NodeAffinity": NodeAffinityArgs(None),
    "NodeResourcesBalancedAllocation": NodeResourcesBalancedAllocationArgs(CPU_AND_MEMORY),
    "NodeResourcesFit": NodeResourcesFitArgs((), ()),
    "PodTopologySpread": PodTopologySpreadArgs((), "System"),
    "VolumeBinding": VolumeBindingArgs(600),
}


def spelled(plugins):
    return " ".join(f"{plugin.name}={plugin.weight}" if plugin.weight else plugin.name for plugin in plugins)


@pytest.mark.parametrize("version", EXPANDED, ids=lambda version: "{}.{}".format(*version))
def test_the_default_profile_runs_the_plugins_of_the_release_in_its_order(version):
    (profile,) = default_configuration(version).profiles
    assert {point: spelled(plugins) for point, plugins in profile.plugins.items() if plugins} == EXPANDED[version]
    assert set(EXTENSION_POINTS) <= set(profile.plugins)


# Until 1.22 upstream lists the plugins of every extension point; what only prepares another point is left out here.
_VOLUMES = "EBSLimits GCEPDLimits NodeVolumeLimits AzureDiskLimits VolumeBinding VolumeZone"
_USUAL_FILTERS = (
    "NodeUnschedulable NodeName TaintToleration NodeAffinity NodePorts NodeResourcesFit"
    f" VolumeRestrictions {_VOLUMES} PodTopologySpread InterPodAffinity"
)
_EQUAL_WEIGHTS = {"TaintToleration": 1, "NodeAffinity": 1, "InterPodAffinity": 1, "PodTopologySpread": 2}
_OWN_PLUGINS = {"NodeResourcesLeastAllocated": 1, "NodePreferAvoidPods": 10000}
_ALWAYS = {"NodeResourcesBalancedAllocation": 1, "ImageLocality": 1}
OLDER = {
    (1, 19): (
        "NodeUnschedulable NodeResourcesFit NodeName NodePorts NodeAffinity VolumeRestrictions TaintToleration"
        f" {_VOLUMES} PodTopologySpread InterPodAffinity",
        {**_ALWAYS, **_EQUAL_WEIGHTS, **_OWN_PLUGINS, "SelectorSpread": 1},
    ),
    (1, 20): (_USUAL_FILTERS, {**_ALWAYS, **_EQUAL_WEIGHTS, **_OWN_PLUGINS}),
    (1, 21): (_USUAL_FILTERS, {**_ALWAYS, **_EQUAL_WEIGHTS, **_OWN_PLUGINS}),
    (1, 22): (_USUAL_FILTERS, {**_ALWAYS, **_EQUAL_WEIGHTS, "NodeResourcesFit": 1}),
    (1, 23): (
        _USUAL_FILTERS,
        {
            **_ALWAYS,
            "TaintToleration": 3,
            "NodeAffinity": 2,
            "InterPodAffinity": 2,
            "PodTopologySpread": 2,
            "NodeResourcesFit": 1,
        },
    ),
}


@pytest.mark.parametrize("version", OLDER, ids=lambda version: "{}.{}".format(*version))
def test_the_default_filters_and_scores_of_older_releases(version):
    (profile,) = default_configuration(version).profiles
    filters, weights = OLDER[version]
    assert " ".join(plugin.name for plugin in profile.plugins["filter"]) == filters
    scores = {plugin.name: plugin.weight for plugin in profile.plugins["score"]}
    assert {name: weight for name, weight in scores.items() if name != "VolumeBinding"} == weights
    assert not profile.plugins["preEnqueue"]


@pytest.mark.parametrize("minor", range(19, 37))
def test_every_supported_release_has_defaults(minor):
    (profile,) = default_configuration((1, minor)).profiles
    assert [plugin.name for plugin in profile.plugins["bind"]] == ["DefaultBinder"]


@pytest.mark.parametrize("version", [(1, 18), (1, 37), (2, 30)])
def test_an_unknown_release_is_refused(version):
    with pytest.raises(InputError, match=r"is not supported, expected 1\.19 to 1\.36"):
        default_configuration(version)


def test_top_level_defaults():
    configuration = default_configuration()
    assert configuration.parallelism == 16
    assert configuration.percentage_of_nodes_to_score == 0
    assert (configuration.pod_initial_backoff_s, configuration.pod_max_backoff_s) == (1, 10)
    assert configuration.extenders == ()
    assert configuration.profiles[0].scheduler_name == "default-scheduler"
    assert configuration.profiles[0].percentage_of_nodes_to_score is None


def test_every_plugin_that_takes_arguments_has_its_defaults():
    strategy = default_configuration().profiles[0].args["NodeResourcesFit"].scoring_strategy
    assert (strategy.type, strategy.resources, strategy.shape) == ("LeastAllocated", CPU_AND_MEMORY, ())
    assert default_configuration().profiles[0].args == ARGS


@pytest.mark.parametrize(
    ("version", "args"),
    [
        pytest.param((1, 33), None, id="1.33: off by default"),
        pytest.param((1, 35), DynamicResourcesArgs(10 * SECOND, None), id="1.35: no binding timeout yet"),
    ],
)
def test_arguments_of_dynamic_resources_follow_the_release(version, args):
    assert default_configuration(version).profiles[0].args.get("DynamicResources") == args


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({}, id="nothing said"),
        pytest.param({"profiles": []}, id="no profiles"),
        pytest.param({"profiles": None, "extenders": None, "parallelism": None}, id="null is as if absent"),
        pytest.param({"profiles": [{}]}, id="an empty profile"),
        pytest.param({"profiles": [{"plugins": {"score": {"enabled": None}}}]}, id="an empty plugin set"),
        pytest.param({"profiles": [{"pluginConfig": [{"name": "VolumeBinding"}]}]}, id="args left out"),
        pytest.param({"clientConnection": {"qps": 5}, "leaderElection": {"leaderElect": True}}, id="connections"),
        pytest.param({"enableProfiling": True, "delayCacheUntilActive": True}, id="debugging"),
    ],
)
def test_a_document_that_changes_nothing_gives_the_defaults(fields):
    assert parse_configuration(a_document(**fields)) == default_configuration()
