from __future__ import annotations

import pytest

from tests.scheduling.config.documents import a_document, a_document_with_args, a_document_with_plugins, a_set
from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND
from wavetank.scheduling.config import (
    DefaultPreemptionArgs,
    DynamicResourcesArgs,
    InterPodAffinityArgs,
    NodeAffinityArgs,
    NodeResourcesBalancedAllocationArgs,
    NodeResourcesFitArgs,
    PodTopologySpreadArgs,
    ResourceSpec,
    ScoringStrategy,
    ShapePoint,
    VolumeBindingArgs,
    parse_configuration,
)

SHAPE = [{"utilization": 0, "score": 0}, {"utilization": 100, "score": 10}]
POINTS = (ShapePoint(0, 0), ShapePoint(100, 10))
SPREAD = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"}
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def a_strategy(kind, **fields):
    return {"scoringStrategy": {"type": kind, **fields}}


def requiring(**requirement):
    return {"addedAffinity": {REQUIRED: {"nodeSelectorTerms": [{"matchExpressions": [requirement]}]}}}


ZONE = requiring(key="zone", operator="In", values=["a"])


@pytest.mark.parametrize(
    ("plugin", "given", "args"),
    [
        pytest.param(
            "NodeResourcesFit",
            a_strategy("MostAllocated", resources=[{"name": "cpu", "weight": 3}, {"name": "a.com/gpu"}]),
            NodeResourcesFitArgs(
                scoring_strategy=ScoringStrategy(
                    "MostAllocated", (ResourceSpec("cpu", 3), ResourceSpec("a.com/gpu", 1))
                )
            ),
            id="a resource without weight weighs 1",
        ),
        pytest.param(
            "NodeResourcesFit",
            a_strategy("RequestedToCapacityRatio", requestedToCapacityRatio={"shape": SHAPE}),
            NodeResourcesFitArgs(scoring_strategy=ScoringStrategy("RequestedToCapacityRatio", shape=POINTS)),
            id="a strategy without resources looks at CPU and memory",
        ),
        pytest.param(
            "NodeResourcesFit",
            {"ignoredResources": ["a.com/x", "b"], "ignoredResourceGroups": ["c.com"]},
            NodeResourcesFitArgs(("a.com/x", "b"), ("c.com",)),
            id="ignored resources and groups",
        ),
        pytest.param(
            "NodeResourcesBalancedAllocation",
            {"resources": [{"name": "memory", "weight": 1}, {"name": "cpu", "weight": 0}]},
            NodeResourcesBalancedAllocationArgs((ResourceSpec("memory"), ResourceSpec("cpu"))),
            id="balancing keeps the order and reads weight 0 as 1",
        ),
        pytest.param("NodeAffinity", ZONE, NodeAffinityArgs(ZONE["addedAffinity"]), id="an affinity is kept as given"),
        pytest.param(
            "NodeAffinity",
            {"addedAffinity": {PREFERRED: [{"weight": 0, "preference": {"matchExpressions": [{"key": "-"}]}}]}},
            NodeAffinityArgs({PREFERRED: [{"weight": 0, "preference": {"matchExpressions": [{"key": "-"}]}}]}),
            id="a preference of weight 0 is not looked into",
        ),
        pytest.param(
            "InterPodAffinity",
            {"hardPodAffinityWeight": 0, "ignorePreferredTermsOfExistingPods": True},
            InterPodAffinityArgs(0, True),
            id="inter-pod affinity",
        ),
        pytest.param(
            "PodTopologySpread",
            {"defaultingType": "List", "defaultConstraints": [SPREAD]},
            PodTopologySpreadArgs((SPREAD,), "List"),
            id="constraints are kept as given",
        ),
        pytest.param(
            "PodTopologySpread",
            {"defaultingType": "List"},
            PodTopologySpreadArgs((), "List"),
            id="an empty list of constraints",
        ),
        pytest.param(
            "DefaultPreemption", {"minCandidateNodesPercentage": 0}, DefaultPreemptionArgs(0, 100), id="preemption"
        ),
        pytest.param("VolumeBinding", {"bindTimeoutSeconds": 0}, VolumeBindingArgs(0), id="volume binding"),
        pytest.param(
            "DynamicResources",
            {"filterTimeout": "0", "bindingTimeout": "1m1.5s"},
            DynamicResourcesArgs(0, 61 * SECOND + SECOND // 2),
            id="timeouts as Go writes them",
        ),
        pytest.param(
            "VolumeBinding",
            {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "VolumeBindingArgs"},
            VolumeBindingArgs(600),
            id="arguments may say their own type",
        ),
    ],
)
def test_arguments_are_read_and_completed(plugin, given, args):
    (profile,) = parse_configuration(a_document_with_args(plugin, given)).profiles
    assert profile.args[plugin] == args


@pytest.mark.parametrize(
    ("plugin", "given", "path", "message"),
    [
        pytest.param(
            "NodeResourcesFit", {"ignoredResource": []}, "ignoredResource", "(did you mean", id="a misspelt field"
        ),
        pytest.param("NodeResourcesFit", [], "", "[] is not an object", id="a list"),
        pytest.param(
            "NodeResourcesFit", {"kind": "OtherArgs"}, "kind", "expected NodeResourcesFitArgs", id="another kind"
        ),
        pytest.param(
            "NodeResourcesFit",
            {"apiVersion": "v1"},
            "apiVersion",
            "expected kubescheduler.config",
            id="another version",
        ),
        pytest.param(
            "NodeResourcesFit",
            a_strategy("Least"),
            "scoringStrategy.type",
            "'Least' is unknown",
            id="an unknown strategy",
        ),
        pytest.param(
            "NodeResourcesFit", a_strategy(None), "scoringStrategy.type", "'' is unknown", id="a strategy without type"
        ),
        pytest.param(
            "NodeResourcesFit",
            a_strategy("MostAllocated", resources=[{"name": "cpu", "weight": 101}]),
            "scoringStrategy.resources[0].weight",
            "101 is out of range",
            id="a weight over 100",
        ),
        pytest.param(
            "NodeResourcesFit",
            a_strategy("MostAllocated", requestedToCapacityRatio={"shape": SHAPE}),
            "scoringStrategy.requestedToCapacityRatio",
            "does not go with MostAllocated",
            id="a shape for another strategy",
        ),
        pytest.param(
            "NodeResourcesFit",
            a_strategy("RequestedToCapacityRatio"),
            "scoringStrategy.requestedToCapacityRatio",
            "is missing",
            id="a ratio without shape",
        ),
        pytest.param(
            "NodeResourcesFit",
            a_strategy("RequestedToCapacityRatio", requestedToCapacityRatio={}),
            "scoringStrategy.requestedToCapacityRatio.shape",
            "expected at least one",
            id="a shape without points",
        ),
        pytest.param(
            "NodeResourcesFit",
            a_strategy("RequestedToCapacityRatio", requestedToCapacityRatio={"shape": SHAPE[::-1]}),
            "scoringStrategy.requestedToCapacityRatio.shape[1].utilization",
            "0 does not follow 100",
            id="points that do not increase",
        ),
        pytest.param(
            "NodeResourcesFit",
            a_strategy("RequestedToCapacityRatio", requestedToCapacityRatio={"shape": [{"utilization": 101}]}),
            "scoringStrategy.requestedToCapacityRatio.shape[0].utilization",
            "from 0 to 100",
            id="a utilization over 100",
        ),
        pytest.param(
            "NodeResourcesFit",
            a_strategy("RequestedToCapacityRatio", requestedToCapacityRatio={"shape": [{"score": 11}]}),
            "scoringStrategy.requestedToCapacityRatio.shape[0].score",
            "from 0 to 10",
            id="a score over 10",
        ),
        pytest.param(
            "NodeResourcesFit",
            {"ignoredResources": ["a/b/c"]},
            "ignoredResources[0]",
            "is not a label key",
            id="two slashes",
        ),
        pytest.param(
            "NodeResourcesFit",
            {"ignoredResourceGroups": ["a.com/x"]},
            "ignoredResourceGroups[0]",
            "is not a resource group",
            id="a resource in place of a group",
        ),
        pytest.param(
            "NodeResourcesBalancedAllocation",
            {"resources": [{"name": "cpu", "weight": 2}]},
            "resources[0].weight",
            "expected 1",
            id="balancing with weights",
        ),
        pytest.param(
            "NodeResourcesBalancedAllocation",
            {"resources": [{"name": "cpu"}, {"name": "cpu"}]},
            "resources[1].name",
            "'cpu' stands here twice",
            id="balancing a resource twice",
        ),
        pytest.param(
            "NodeAffinity",
            requiring(key="zone", operator="in", values=["a"]),
            f"addedAffinity.{REQUIRED}.nodeSelectorTerms[0].matchExpressions[0].operator",
            "'in' is unknown",
            id="an unknown operator",
        ),
        pytest.param(
            "NodeAffinity",
            requiring(key="cores", operator="Gt", values=["many"]),
            f"addedAffinity.{REQUIRED}.nodeSelectorTerms[0].matchExpressions[0].values[0]",
            "'many' cannot be compared, expected an integer",
            id="a comparison with a word",
        ),
        pytest.param(
            "NodeAffinity",
            requiring(key="zone", operator="In", value=["a"]),
            f"addedAffinity.{REQUIRED}.nodeSelectorTerms[0].matchExpressions[0].value",
            "(did you mean values?)",
            id="a misspelt field of a requirement",
        ),
        pytest.param(
            "NodeAffinity",
            {"addedAffinity": {PREFERRED: [{"weight": 1, "preference": {"matchFields": [{"key": "metadata.name"}]}}]}},
            f"addedAffinity.{PREFERRED}[0].preference.matchFields[0].operator",
            "None is unknown",
            id="a field without operator",
        ),
        pytest.param(
            "InterPodAffinity",
            {"hardPodAffinityWeight": 101},
            "hardPodAffinityWeight",
            "from 0 to 100",
            id="weight over 100",
        ),
        pytest.param(
            "PodTopologySpread",
            {"defaultingType": "None"},
            "defaultingType",
            "expected System or List",
            id="unknown defaulting",
        ),
        pytest.param(
            "PodTopologySpread",
            {"defaultConstraints": [SPREAD]},
            "defaultingType",
            "expected List",
            id="constraints beside the system's",
        ),
        pytest.param(
            "PodTopologySpread",
            {"defaultingType": "List", "defaultConstraints": [SPREAD | {"maxSkew": 0}]},
            "defaultConstraints[0].maxSkew",
            "0 is out of range",
            id="a skew of 0",
        ),
        pytest.param(
            "PodTopologySpread",
            {"defaultingType": "List", "defaultConstraints": [SPREAD | {"topologyKey": ""}]},
            "defaultConstraints[0].topologyKey",
            "'' is not a label key",
            id="no topology key",
        ),
        pytest.param(
            "PodTopologySpread",
            {"defaultingType": "List", "defaultConstraints": [SPREAD | {"whenUnsatisfiable": "Wait"}]},
            "defaultConstraints[0].whenUnsatisfiable",
            "'Wait' is unknown",
            id="an unknown action",
        ),
        pytest.param(
            "PodTopologySpread",
            {"defaultingType": "List", "defaultConstraints": [SPREAD | {"labelSelector": {}}]},
            "defaultConstraints[0].labelSelector",
            "has no selector",
            id="a selector",
        ),
        pytest.param(
            "PodTopologySpread",
            {"defaultingType": "List", "defaultConstraints": [SPREAD, SPREAD | {"maxSkew": 2}]},
            "defaultConstraints[1]",
            "zone with ScheduleAnyway stands here twice",
            id="a constraint twice",
        ),
        pytest.param(
            "DefaultPreemption",
            {"minCandidateNodesPercentage": 0, "minCandidateNodesAbsolute": 0},
            "minCandidateNodesPercentage",
            "cannot be 0 when minCandidateNodesAbsolute is",
            id="no candidates at all",
        ),
        pytest.param(
            "DefaultPreemption",
            {"minCandidateNodesPercentage": 101},
            "minCandidateNodesPercentage",
            "from 0 to 100",
            id="over 100 percent of candidates",
        ),
        pytest.param(
            "VolumeBinding", {"bindTimeoutSeconds": -1}, "bindTimeoutSeconds", "-1 is out", id="a negative timeout"
        ),
        pytest.param("VolumeBinding", {"shape": []}, "shape", "feature gate", id="a shape behind a gate"),
        pytest.param(
            "DynamicResources", {"filterTimeout": "-1s"}, "filterTimeout", "'-1s' is too short", id="before now"
        ),
        pytest.param("DynamicResources", {"filterTimeout": "5"}, "filterTimeout", "is not a duration", id="no unit"),
        pytest.param(
            "DynamicResources", {"bindingTimeout": "999ms"}, "bindingTimeout", "expected 1s or more", id="too short"
        ),
    ],
)
def test_bad_arguments_are_refused_where_they_stand(plugin, given, path, message):
    with pytest.raises(InputError) as caught:
        parse_configuration(a_document_with_args(plugin, given))
    assert caught.value.path == "profiles[0].pluginConfig[0].args" + (path and f".{path}")
    assert message in caught.value.message


def test_releases_before_1_36_take_a_shape_with_any_strategy():
    given = a_strategy("MostAllocated", requestedToCapacityRatio={"shape": SHAPE})
    (profile,) = parse_configuration(a_document_with_args("NodeResourcesFit", given), (1, 35)).profiles
    assert profile.args["NodeResourcesFit"].scoring_strategy.type == "MostAllocated"


def test_releases_before_1_36_have_no_binding_timeout():
    document = a_document_with_args("DynamicResources", {"bindingTimeout": "10s"})
    with pytest.raises(InputError, match=r"before Kubernetes 1\.36"):
        parse_configuration(document, (1, 35))


@pytest.mark.parametrize("plugin", ["PrioritySort", "NoSuchPlugin"])
def test_arguments_of_other_plugins_are_not_looked_at(plugin):
    (profile,) = parse_configuration(a_document_with_args(plugin, {"anything": 1})).profiles
    assert plugin not in profile.args


def test_a_plugin_that_is_nowhere_enabled_has_no_arguments_unless_configured():
    off = a_set(disabled="VolumeBinding InterPodAffinity")
    document = a_document_with_plugins(multiPoint=off)
    document["profiles"][0]["pluginConfig"] = [{"name": "InterPodAffinity", "args": {"hardPodAffinityWeight": 5}}]
    (profile,) = parse_configuration(document).profiles
    assert "VolumeBinding" not in profile.args
    assert profile.args["InterPodAffinity"] == InterPodAffinityArgs(5, False)


def test_each_profile_has_its_own_arguments():
    profiles = [
        {"schedulerName": "a", "pluginConfig": [{"name": "VolumeBinding", "args": {"bindTimeoutSeconds": 1}}]},
        {"schedulerName": "b", "percentageOfNodesToScore": 30},
    ]
    first, second = parse_configuration(a_document(profiles=profiles)).profiles
    assert first.args["VolumeBinding"] == VolumeBindingArgs(1)
    assert second.args["VolumeBinding"] == VolumeBindingArgs(600)
    assert second.percentage_of_nodes_to_score == 30
