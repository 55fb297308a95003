"""Recorded extenders: they answer as they did, and want to be asked as they were."""

from __future__ import annotations

import pytest

from tests.support.objects import node_manifest, pod_manifest
from tests.verification.recordings import a_recording, created, failed, single
from wavetank.verification.decisions.replay import replay

KIND = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
EXTENDER = {"urlPrefix": "http://host/ext", "filterVerb": "filter", "nodeCacheCapable": True}
IDENTITY = {"name": "p", "namespace": "default", "uid": "1234", "resourceVersion": "5"}


def a_call(nodes=("n0", "n1"), pod=None, status=200, response=None, **changes):
    request = {"Pod": {"metadata": {**IDENTITY, **(pod or {})}}, "Nodes": None, "NodeNames": list(nodes)}
    answer = {"NodeNames": ["n1"]} if response is None else response
    spec = pod_manifest("p")["spec"]
    request["Pod"]["spec"] = spec
    return {"extender": "ext", "verb": "filter", "request": request, "status": status, "response": answer, **changes}


def differences(attempt):
    recording = a_recording(
        [node_manifest("n0"), node_manifest("n1")],
        created(pod_manifest("p"), attempt),
        config={**KIND, "extenders": [EXTENDER]},
    )
    _, mismatches = replay(recording, "small-000.json.gz")
    return {mismatch.aspect: (mismatch.expected, mismatch.got) for mismatch in mismatches}


def test_a_call_like_ours_agrees_whatever_its_uids():
    assert differences(single("p", "n1", extender_calls=[a_call()])) == {}


@pytest.mark.parametrize(
    ("calls", "expected", "got"),
    [
        pytest.param([a_call(["n0"])], {"filter of ext: NodeNames": ["n0"]}, None, id="other nodes"),
        pytest.param([a_call(), a_call()], {"calls": ["filter of ext"] * 2}, {"calls": ["filter of ext"]}, id="twice"),
    ],
)
def test_other_calls_are_shown(calls, expected, got):
    found = differences(single("p", "n1", extender_calls=calls))["extenders"]
    assert found[0] == expected
    assert got is None or found[1] == got


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ({"status": 500}, "failed filter with extender at URL http://host/ext/filter, code 500"),
        ({"status": None, "failure": "connection closed without an answer"}, 'Post "http://host/ext/filter": EOF'),
        ({"response": "not json"}, "invalid character 'o' in literal null (expecting 'u')"),
    ],
)
def test_calls_fail_as_they_did(call, message):
    attempt = failed("p", message, {}, error=True, extender_calls=[a_call(**call)])
    assert differences(attempt) == {}
