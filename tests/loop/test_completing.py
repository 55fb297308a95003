"""A KubeSchedulerConfiguration is completed for the loop, and what was changed is told."""

from __future__ import annotations

import pytest

from wavetank.errors import InputError
from wavetank.loop.processes.configuration import HEAD, changes, check_configuration, complete, renamed, scheduler_names
from wavetank.loop.processes.definition import ProcessDefinition

OURS = {
    "contentType": "application/json",
    "acceptContentTypes": "application/json",
    "qps": -1,
    "burst": 0,
    "kubeconfig": "/k",
}


def test_what_the_loop_needs_is_added_and_the_rest_kept():
    given = {**HEAD, "podMaxBackoffSeconds": 20, "leaderElection": {"leaderElect": True, "resourceName": "x"}}
    assert complete(given, "/k", []) == {
        **HEAD,
        "podMaxBackoffSeconds": 20,
        "parallelism": 1,
        "leaderElection": {"leaderElect": False, "resourceName": "x"},
        "clientConnection": OURS,
    }
    assert given["leaderElection"]["leaderElect"] is True


def test_extenders_are_called_through_proxies():
    extender = {"urlPrefix": "https://x", "enableHTTPS": True, "tlsConfig": {"insecure": True}, "filterVerb": "f"}
    completed = complete({**HEAD, "extenders": [extender]}, "/k", ["http://127.87.1.1"])
    assert completed["extenders"] == [{"urlPrefix": "http://127.87.1.1", "filterVerb": "f"}]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        pytest.param({}, "parallelism 16 → 1", id="a default"),
        pytest.param({"parallelism": 4}, "parallelism 4 → 1", id="what was given"),
        pytest.param({"clientConnection": {"qps": 100}}, "clientConnection.qps 100 → -1", id="inside"),
        pytest.param(
            {"clientConnection": {"kubeconfig": "/x"}}, "clientConnection.kubeconfig is wavetank's", id="the server"
        ),
        pytest.param(
            {"extenders": [{"urlPrefix": "http://x"}]},
            "extenders[0].urlPrefix is a proxy for http://x",
            id="an extender",
        ),
    ],
)
def test_changes_are_told(given, told):
    assert told in changes({**HEAD, **given})


def test_nothing_is_told_of_what_stays():
    given = {**HEAD, "parallelism": 1, "leaderElection": {"leaderElect": False}}
    assert all(change.startswith("clientConnection.") for change in changes(given))


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        pytest.param({**HEAD, "kind": "Pod"}, "kind: expected KubeSchedulerConfiguration, got 'Pod'", id="kind"),
        pytest.param({**HEAD, "profiles": 3}, "profiles: expected a list, got 3", id="profiles"),
        pytest.param({**HEAD, "extenders": ["x"]}, r"extenders\[0\]: 'x' is not an object", id="extenders"),
        pytest.param({**HEAD, "leaderElection": []}, None, id="empty is absent"),
    ],
)
def test_a_configuration_of_another_form(document, problem):
    if problem is None:
        check_configuration(document)
        return
    with pytest.raises(InputError, match=problem):
        check_configuration(document)


def test_names_of_profiles():
    assert scheduler_names(HEAD) == ("default-scheduler",)
    assert scheduler_names({**HEAD, "profiles": [{"schedulerName": "a"}, {}]}) == ("a", "default-scheduler")
    assert scheduler_names(renamed(HEAD, "b")) == ("b",)
    with pytest.raises(InputError, match="several profiles"):
        renamed({**HEAD, "profiles": [{}, {"schedulerName": "a"}]}, "b")


def test_another_release_than_the_experiments_is_warned_of():
    program = ProcessDefinition("real", "kube-scheduler", "v1.35.8", "/f", HEAD)
    assert program.notes((1, 35)) == []
    assert program.notes((1, 36)) == ["real: kube-scheduler is v1.35.8, but kubernetesVersion is 1.36"]
