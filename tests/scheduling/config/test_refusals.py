from __future__ import annotations

import pytest

from tests.scheduling.config.documents import a_document, a_document_with_plugins, a_set
from wavetank.errors import InputError
from wavetank.scheduling.config import NodeResourcesFitArgs, parse_configuration


def assert_refused(document, path, message, version=(1, 36)):
    with pytest.raises(InputError) as caught:
        parse_configuration(document, version)
    assert caught.value.path == path
    assert message in caught.value.message


@pytest.mark.parametrize(
    ("fields", "path", "message"),
    [
        pytest.param(
            {"apiVersion": "kubescheduler.config.k8s.io/v1beta3"},
            "apiVersion",
            "expected kubescheduler.config.k8s.io/v1",
            id="an older API version",
        ),
        pytest.param({"apiVersion": None}, "apiVersion", "'' is not supported", id="no API version"),
        pytest.param(
            {"kind": "Policy"}, "kind", "'Policy' is not supported, expected KubeScheduler", id="another kind"
        ),
        pytest.param(
            {"paralelism": 4},
            "paralelism",
            'unknown field "paralelism" (did you mean parallelism?)',
            id="a misspelt field",
        ),
        pytest.param({"zzz": 4}, "zzz", 'unknown field "zzz"', id="a field unlike any other"),
        pytest.param({"parallelism": 0}, "parallelism", "0 is out of range", id="no parallelism"),
        pytest.param({"parallelism": 2**31}, "parallelism", "is out of range", id="more than 32 bits hold"),
        pytest.param({"parallelism": "4"}, "parallelism", "'4' is not a whole number", id="a quoted number"),
        pytest.param({"parallelism": True}, "parallelism", "True is not a whole number", id="a boolean number"),
        pytest.param({"parallelism": 1.5}, "parallelism", "1.5 is not a whole number", id="a fraction"),
        pytest.param(
            {"percentageOfNodesToScore": 101}, "percentageOfNodesToScore", "from 0 to 100", id="over 100 percent"
        ),
        pytest.param(
            {"percentageOfNodesToScore": -1}, "percentageOfNodesToScore", "from 0 to 100", id="below 0 percent"
        ),
        pytest.param({"podInitialBackoffSeconds": 0}, "podInitialBackoffSeconds", "0 is out", id="no back-off"),
        pytest.param(
            {"podInitialBackoffSeconds": 5, "podMaxBackoffSeconds": 4},
            "podMaxBackoffSeconds",
            "4 is out of range, expected a whole number from 5",
            id="the longest back-off shorter than the first",
        ),
        pytest.param(
            {"podInitialBackoffSeconds": 11},
            "podMaxBackoffSeconds",
            "10 is out of range",
            id="the default longest back-off shorter than the first",
        ),
        pytest.param({"profiles": {}}, "profiles", "{} is not a list", id="profiles that are no list"),
        pytest.param({"profiles": ["x"]}, "profiles[0]", "'x' is not an object", id="a profile that is a word"),
        pytest.param({"enableProfiling": "yes"}, "enableProfiling", "is not a boolean", id="a quoted boolean"),
        pytest.param({"leaderElection": []}, "leaderElection", "[] is not an object", id="a list for an object"),
    ],
)
def test_bad_fields_are_refused_where_they_stand(fields, path, message):
    assert_refused(a_document(**fields), path, message)


QUEUE_SORT = {"queueSort": a_set("PrioritySort")}


@pytest.mark.parametrize(
    ("profiles", "path", "message"),
    [
        pytest.param(
            [{"pluginConfigs": []}],
            "profiles[0].pluginConfigs",
            "(did you mean pluginConfig?)",
            id="a misspelt field",
        ),
        pytest.param([{"schedulerName": ""}], "profiles[0].schedulerName", "is missing", id="an empty name"),
        pytest.param([{"schedulerName": 7}], "profiles[0].schedulerName", "7 is not a string", id="a number as name"),
        pytest.param(
            [{"schedulerName": "a"}, {}], "profiles[1].schedulerName", "is missing", id="one of several without name"
        ),
        pytest.param(
            [{"schedulerName": "a"}, {"schedulerName": "b"}, {"schedulerName": "a"}],
            "profiles[2].schedulerName",
            "'a' is the name of an earlier profile",
            id="a name twice",
        ),
        pytest.param(
            [{"percentageOfNodesToScore": 101}],
            "profiles[0].percentageOfNodesToScore",
            "from 0 to 100",
            id="over 100 percent",
        ),
        pytest.param(
            [{"schedulerName": "a"}, {"schedulerName": "b", "plugins": QUEUE_SORT}],
            "profiles[1].plugins.queueSort",
            "all profiles share one queue",
            id="queueSort written in one profile only",
        ),
        pytest.param(
            [
                {"schedulerName": "a"},
                {"schedulerName": "b", "pluginConfig": [{"name": "PrioritySort", "args": {"x": 1}}]},
            ],
            "profiles[1].pluginConfig",
            "all profiles share one queue",
            id="arguments of queueSort in one profile only",
        ),
        pytest.param(
            [{"pluginConfig": [{"name": "NodeAffinity"}, {"name": "NodeAffinity"}]}],
            "profiles[0].pluginConfig[1]",
            "plugin NodeAffinity is configured twice",
            id="a plugin configured twice",
        ),
        pytest.param(
            [{"pluginConfig": [{"name": "EBSLimits"}]}],
            "profiles[0].pluginConfig[0].name",
            "was replaced by NodeVolumeLimits",
            id="a plugin of old configured",
        ),
    ],
)
def test_bad_profiles_are_refused_where_they_stand(profiles, path, message):
    assert_refused(a_document(profiles=profiles), path, message)


@pytest.mark.parametrize(
    ("sets", "path", "message"),
    [
        pytest.param(
            {"score": a_set("ImageLocality NodeAffinity NodeResourceFit")},
            "score.enabled[2]",
            'unknown plugin "NodeResourceFit" (did you mean NodeResourcesFit?)',
            id="a misspelt plugin",
        ),
        pytest.param({"multiPoint": a_set("Zzz")}, "multiPoint.enabled[0]", 'unknown plugin "Zzz"', id="at multiPoint"),
        pytest.param({"filter": a_set("*")}, "filter.enabled[0]", 'unknown plugin "*"', id="a star that enables"),
        pytest.param({"scores": a_set()}, "scores", "(did you mean score?)", id="a misspelt extension point"),
        pytest.param(
            {"score": {"enable": []}}, "score.enable", "(did you mean enabled?)", id="a misspelt field of a set"
        ),
        pytest.param(
            {"score": {"enabled": [{"name": "ImageLocality", "weigth": 1}]}},
            "score.enabled[0].weigth",
            "(did you mean weight?)",
            id="a misspelt field of a plugin",
        ),
        pytest.param(
            {"score": a_set(f"ImageLocality={2**31}")},
            "score.enabled[0].weight",
            "is out of range",
            id="a weight that 32 bits do not hold",
        ),
        pytest.param(
            {"score": a_set("NodeName")},
            "score.enabled[0]",
            "plugin NodeName does not implement score, only filter",
            id="a plugin at a point it does not implement",
        ),
        pytest.param(
            {"filter": a_set("NodeName NodePorts NodeName")},
            "filter.enabled[2]",
            "plugin NodeName is enabled twice at filter",
            id="a plugin twice at a point",
        ),
        pytest.param(
            {"multiPoint": a_set("GangScheduling GangScheduling")},
            "multiPoint.enabled[1]",
            "plugin GangScheduling is enabled twice at preEnqueue",
            id="a plugin twice at multiPoint",
        ),
        pytest.param(
            {"score": a_set("NodeAffinity=-1")},
            "score.enabled[0]",
            "with -1 the weights so far sum to -1, below 0",
            id="a negative weight before others",
        ),
        pytest.param(
            {"queueSort": a_set(disabled="*")},
            "queueSort",
            "0 plugins are enabled, expected exactly one",
            id="no queueSort",
        ),
        pytest.param({"bind": a_set(disabled="DefaultBinder")}, "bind", "expected at least one", id="no bind"),
        pytest.param(
            {"filter": a_set("EBSLimits")},
            "filter.enabled[0]",
            "plugin EBSLimits was replaced by NodeVolumeLimits",
            id="a plugin of old",
        ),
    ],
)
def test_bad_plugin_sets_are_refused_where_they_stand(sets, path, message):
    assert_refused(a_document_with_plugins(**sets), f"profiles[0].plugins.{path}", message)


@pytest.mark.parametrize(("point", "version"), [("placementScore", (1, 35)), ("placementGenerate", (1, 29))])
def test_a_point_is_unknown_before_its_release(point, version):
    path = f"profiles[0].plugins.{point}"
    assert_refused(a_document_with_plugins(**{point: a_set()}), path, "unknown field", version)


def managing(*names, **fields):
    return {"urlPrefix": "http://extender", "managedResources": [{"name": name, **fields} for name in names]}


@pytest.mark.parametrize(
    ("extenders", "path", "message"),
    [
        pytest.param(
            [{"bindVerb": "b"}, {"bindVerb": "b"}], "[1].bindVerb", "extender 0 binds already", id="two binders"
        ),
        pytest.param([{"prioritizeVerb": "p"}], "[0].weight", "needs a weight of 1 or more", id="no weight"),
        pytest.param(
            [{"prioritizeVerb": "p", "weight": -2}], "[0].weight", "needs a weight of 1 or more", id="a negative weight"
        ),
        pytest.param([{"urlprefix": "x"}], "[0].urlprefix", "(did you mean urlPrefix?)", id="a misspelt field"),
        pytest.param([{"httpTimeout": 5}], "[0].httpTimeout", "5 is not a duration", id="a timeout without unit"),
        pytest.param([{"httpTimeout": "1d"}], "[0].httpTimeout", "'1d' is not a duration", id="days, unknown to Go"),
        pytest.param([{"ignorable": "no"}], "[0].ignorable", "'no' is not a boolean", id="a quoted boolean"),
        pytest.param([{"tlsConfig": {"ca": ""}}], "[0].tlsConfig.ca", "unknown field", id="an unknown TLS field"),
        pytest.param(
            [{"tlsConfig": {"insecure": True, "caFile": "ca.pem"}}],
            "[0].tlsConfig.insecure",
            "does not go with a certificate authority",
            id="TLS both unchecked and checked",
        ),
        pytest.param(
            [managing("cpu")], "[0].managedResources[0].name", "is not an extended resource", id="a native resource"
        ),
        pytest.param(
            [managing("requests.example.com/gpu")],
            "[0].managedResources[0].name",
            "is not an extended resource",
            id="a name of a quota",
        ),
        pytest.param(
            [managing("a.com/gpu"), managing("b.com/gpu", "a.com/gpu")],
            "[1].managedResources[1].name",
            "a.com/gpu is managed twice",
            id="a resource managed by two",
        ),
    ],
)
def test_bad_extenders_are_refused_where_they_stand(extenders, path, message):
    assert_refused(a_document(extenders=extenders), f"extenders{path}", message)


def test_good_extenders_are_kept_as_given():
    extenders = [
        {"urlPrefix": "http://a", "filterVerb": "filter", "httpTimeout": "1m30s", "enableHTTPS": False},
        {"urlPrefix": "http://b", "prioritizeVerb": "score", "weight": 5, "bindVerb": "bind", "ignorable": True},
    ]
    assert parse_configuration(a_document(extenders=extenders)).extenders == tuple(extenders)


def test_what_extenders_manage_alone_replaces_what_fit_ignores():
    fit = {"name": "NodeResourcesFit", "args": {"ignoredResources": ["a.com/other"]}}
    document = a_document(
        extenders=[managing("a.com/gpu", ignoredByScheduler=True), managing("b.com/gpu")],
        profiles=[{"pluginConfig": [fit]}],
    )
    (profile,) = parse_configuration(document).profiles
    assert profile.args["NodeResourcesFit"] == NodeResourcesFitArgs(ignored_resources=("a.com/gpu",))


def test_extenders_cannot_leave_resources_to_a_profile_without_fit():
    document = a_document_with_plugins(multiPoint=a_set(disabled="NodeResourcesFit")) | {
        "extenders": [managing("a.com/gpu", ignoredByScheduler=True)]
    }
    assert_refused(document, "extenders", "profile default-scheduler has no NodeResourcesFit")
