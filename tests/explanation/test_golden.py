"""Recorded decisions of the real kube-scheduler, told by explain: files in, JSON out."""

from __future__ import annotations

import json

import pytest

from tests.explanation.clusters import explain, write
from tests.support.paths import DATA, needs_shared
from wavetank.cluster.objects.node import Node
from wavetank.verification import find_recordings, read_recording
from wavetank.verification.decisions.arrival import arrival_of_nodes

GOLDEN = DATA / "golden"
FAMILIES = (
    *("fit_least", "fit_extended", "balanced_default", "taints_filter", "nodeaff_required", "nodeaff_matchfields"),
    *("imagelocality", "pts_hard", "pts_terminating", "ipa_required_anti", "ipa_preferred", "multiprofile", "gates"),
    *("preempt_basic", "preempt_pdb", "mixed_small"),
)
SAME = ("feasible", "scores", "candidates", "chosen", "nominated", "message")

pytestmark = needs_shared(GOLDEN)


def created_pods(recording):
    """The results of the first steps, as far as they do nothing but create pods."""
    for step, result in zip(recording.steps, recording.results, strict=True):
        if step.op != "create":
            return
        yield result


def cluster_of(recording):
    nodes = [Node(manifest) for manifest in recording.nodes]
    arrived = arrival_of_nodes(recording, nodes) or nodes
    bound = map(as_found, recording.existing, recording.bound_pods())
    return [*(node.manifest for node in arrived), *recording.other_objects(), *bound]


def as_found(submitted, pod):
    going = {"deletionTimestamp": "2030-01-01T00:00:00Z"} if submitted.get("_terminating") else {}
    return {**pod, "metadata": {**pod["metadata"], **going}}


def asked(recording, folder):
    results = list(created_pods(recording))
    (folder / "config.json").write_text(json.dumps(recording.config))
    choices = {result.pod: attempt.chosen for result in results for attempt in result.attempts}
    (folder / "choices.json").write_text(json.dumps(choices))
    args = (
        *("--cluster", write(folder / "cluster.json", *cluster_of(recording))),
        *("--pods", write(folder / "pods.json", *(result.stored for result in results))),
        *("--config", folder / "config.json", "--choices", folder / "choices.json"),
        *("--kubernetes-version", recording.kube_scheduler, "-o", "json"),
    )
    return results, json.loads(explain(*args))["pods"]


@pytest.mark.parametrize("family", FAMILIES)
def test_explain_says_what_the_real_scheduler_did(tmp_path, family):
    files = find_recordings(GOLDEN, family)
    for file in (files[0], files[-1]):
        recording = read_recording(file)
        results, told = asked(recording, tmp_path)
        untried = [(result.pod, result.outcome) for result in results if not result.attempts]
        assert [(pod["pod"], pod["outcome"]) for pod in told if not pod["attempt"]] == untried
        attempts = [attempt for result in results for attempt in result.attempts]
        tried = [pod for pod in told if pod["attempt"]]
        assert [pod["pod"] for pod in tried] == [attempt.pod for attempt in attempts]
        for got, expected in zip(tried, attempts, strict=True):
            assert {key: got[key] for key in SAME} == {key: getattr(expected, key) for key in SAME}
            assert got["totals"] == expected.total
            assert sorted(got["victims"]) == sorted(expected.victims)
            assert not got["diverged"]
