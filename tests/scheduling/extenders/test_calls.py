"""What an extender is asked, and what becomes of its answers."""

from __future__ import annotations

import pytest

from tests.scheduling.extenders.scripted import URL, Scripted, an_extender
from tests.support.clusters import CachedCluster
from tests.support.objects import a_node, a_pod
from wavetank.scheduling.framework.extenders.answers import ExtenderError


def a_cluster(*extenders, nodes=("n0", "n1", "n2"), **configuration):
    return CachedCluster(*map(a_node, nodes), extenders=extenders, **configuration)


def keeping(*names):
    return {"NodeNames": list(names)}


# filter


def test_an_extender_with_a_cache_is_sent_names_and_others_whole_nodes():
    client = Scripted(filter=keeping("n1"))
    a_cluster(an_extender(client, filterVerb="filter")).schedule(a_pod())
    ((_, request),) = client.calls
    assert (request["NodeNames"], request["Nodes"]) == (["n0", "n1", "n2"], None)
    assert request["Pod"]["metadata"]["name"] == "p"
    assert "kind" not in request["Pod"]

    client = Scripted(filter={"Nodes": {"items": [{"metadata": {"name": "n1"}}]}})
    outcome = a_cluster(an_extender(client, cached=False, filterVerb="filter")).schedule(a_pod())
    ((_, request),) = client.calls
    assert request["NodeNames"] is None
    assert [node["metadata"]["name"] for node in request["Nodes"]["items"]] == ["n0", "n1", "n2"]
    assert outcome.node_name == "n1"


def test_each_extender_sees_what_the_one_before_has_left_and_ignorable_ones_come_last():
    first, second = Scripted(filter=keeping("n1", "n2")), Scripted(filter=keeping("n2"))
    cluster = a_cluster(
        an_extender(second, "second", filterVerb="filter", ignorable=True), an_extender(first, filterVerb="filter")
    )
    assert cluster.schedule(a_pod()).node_name == "n2"
    assert second.calls[0][1]["NodeNames"] == ["n1", "n2"]


def test_refused_nodes_are_counted_by_reason_and_silently_dropped_ones_are_not():
    answer = {
        "nodenames": [],
        "failedNodes": {"n0": "busy", "n1": "busy"},
        "FailedAndUnresolvableNodes": {"n1": "gone"},
    }
    outcome = a_cluster(an_extender(Scripted(filter=answer), filterVerb="filter")).schedule(a_pod())
    assert outcome.message == (
        "0/3 nodes are available: 1 busy, 1 gone. no new claims to deallocate, "
        "preemption: 0/3 nodes are available: 1 No preemption victims found for incoming pod, "
        "2 Preemption is not helpful for scheduling."
    )
    assert outcome.rejectors == {"Extender"}


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        pytest.param(ExtenderError("down"), "down", id="no answer"),
        pytest.param({"Error": "no"}, "no", id="an error in the answer"),
        pytest.param(
            keeping("n9"),
            f'extender "{URL}/a" claims a filtered node "n9" which is not found in the input node list',
            id="a node of its own invention",
        ),
        pytest.param([], "json: cannot unmarshal array into Go value of type v1.ExtenderFilterResult", id="a list"),
    ],
)
def test_an_error_ends_the_attempt_unless_the_extender_may_be_ignored(answer, message):
    outcome = a_cluster(an_extender(Scripted(filter=answer), filterVerb="filter")).schedule(a_pod())
    assert (outcome.message, outcome.rejectors) == (message, frozenset())

    ignored = an_extender(Scripted(filter=answer), filterVerb="filter", ignorable=True)
    assert a_cluster(ignored).schedule(a_pod()).node_name


@pytest.mark.parametrize(("asked_for", "calls"), [({}, 0), ({"example.com/dongle": "1"}, 1)])
def test_managed_resources_decide_which_extenders_are_called(asked_for, calls):
    client = Scripted(filter=keeping("n0"))
    config = {"managedResources": [{"name": "example.com/dongle", "ignoredByScheduler": True}], "filterVerb": "filter"}
    a_cluster(an_extender(client, **config)).schedule(a_pod(requests=asked_for))
    assert len(client.calls) <= calls


# prioritize


def test_scores_are_weighted_and_brought_to_the_scale_of_plugins():
    answer = [{"Host": "n1", "Score": 3}, {"host": "n2", "score": 25}, {"Host": "elsewhere", "Score": 9}]
    cluster = a_cluster(an_extender(Scripted(prioritize=answer), prioritizeVerb="prioritize", weight=2))
    outcome = cluster.schedule(a_pod())
    assert outcome.extender_scores[f"{URL}/a"].tolist() == [0, 60, 500]
    assert outcome.node_name == "n2"


def test_without_a_prioritize_verb_nodes_count_as_listed_with_nothing():
    cluster = a_cluster(an_extender(Scripted(filter=keeping("n0", "n1", "n2")), filterVerb="filter"))
    outcome = cluster.schedule(a_pod())
    assert outcome.listed.all()
    assert not outcome.extender_scores[f"{URL}/a"].any()


def test_a_failing_prioritize_is_always_ignored():
    cluster = a_cluster(an_extender(Scripted(prioritize=ExtenderError("down")), prioritizeVerb="prioritize", weight=1))
    assert cluster.schedule(a_pod()).node_name


def test_ties_are_left_to_chance_among_the_nodes_that_an_extender_has_listed():
    answer = [{"Host": "n1", "Score": 0}, {"Host": "n2", "Score": 0}]
    cluster = a_cluster(an_extender(Scripted(prioritize=answer), prioritizeVerb="prioritize", weight=1))
    chosen = {cluster.cycle(a_pod()).run(cluster.rotation, None).node_name for _ in range(50)}
    assert chosen == {"n1", "n2"}


def test_nodes_sent_back_by_an_extender_without_a_cache_are_scored_as_empty():
    def all_nodes(request):
        return {"Nodes": request["Nodes"]}

    for cached, scores in ((False, 1), (True, 2)):
        client = Scripted(filter=keeping("n0", "n1", "n2") if cached else all_nodes)
        cluster = a_cluster(an_extender(client, cached=cached, filterVerb="filter"))
        cluster.place(a_pod("there"), "n0")
        assert len(set(cluster.schedule(a_pod()).scores["NodeResourcesFit"].tolist())) == scores


def test_one_feasible_node_is_not_enough_where_an_extender_judges():
    profile = {"schedulerName": "default-scheduler", "plugins": {"score": {"disabled": [{"name": "*"}]}}}
    client = Scripted(prioritize=[{"Host": "n2", "Score": 1}])
    extender = an_extender(client, prioritizeVerb="prioritize", weight=1)
    assert a_cluster(extender, profiles=[profile]).schedule(a_pod()).node_name == "n2"


# bind


def test_the_first_interested_binder_binds():
    client = Scripted(bind={})
    cluster = a_cluster(an_extender(client, bindVerb="bind"))
    assert cluster.framework.extenders.bind(a_pod(metadata={"uid": "uid-of-p"}), "n1")
    request = {"PodName": "p", "PodNamespace": "default", "PodUID": "uid-of-p", "Node": "n1"}
    assert client.calls == [("bind", request)]


def test_a_refused_binding_is_an_error_or_the_schedulers_own_business():
    refusing = {"Error": "not now"}
    with pytest.raises(ExtenderError, match="not now"):
        a_cluster(an_extender(Scripted(bind=refusing), bindVerb="bind")).framework.extenders.bind(
            a_pod(metadata={"uid": "uid-of-p"}), "n1"
        )
    ignored = a_cluster(an_extender(Scripted(bind=refusing), bindVerb="bind", ignorable=True))
    assert not ignored.framework.extenders.bind(a_pod(metadata={"uid": "uid-of-p"}), "n1")
