"""Programs of older releases get their configuration, and find the kinds, in the versions that they read."""

from __future__ import annotations

import pytest

from wavetank.apiserver.api import Api
from wavetank.apiserver.conversion.versions import serve_retired
from wavetank.apiserver.requests.request import Request
from wavetank.cluster.store.store import Store
from wavetank.kernel.clock import Clock
from wavetank.loop.processes.configuration import HEAD, complete


@pytest.mark.parametrize(
    ("release", "version"),
    [((1, 19), "v1beta1"), ((1, 21), "v1beta1"), ((1, 22), "v1beta2"), ((1, 24), "v1beta3"), ((1, 25), "v1")],
)
def test_a_configuration_is_written_in_the_newest_version_of_the_release(release, version):
    completed = complete(HEAD, "kubeconfig", [], release)
    assert completed["apiVersion"] == f"kubescheduler.config.k8s.io/{version}"


def test_1_19_cannot_be_told_its_parallelism():
    assert "parallelism" not in complete(HEAD, "kubeconfig", [], (1, 19))
    assert complete(HEAD, "kubeconfig", [], (1, 20))["parallelism"] == 1


@pytest.mark.parametrize(
    ("release", "path", "status"),
    [
        pytest.param((1, 20), "/apis/policy/v1beta1/poddisruptionbudgets", 200, id="budgets until 1.20"),
        pytest.param((1, 21), "/apis/policy/v1beta1/poddisruptionbudgets", 404, id="not from 1.21"),
        pytest.param((1, 23), "/apis/storage.k8s.io/v1beta1/csistoragecapacities", 200, id="capacities until 1.23"),
        pytest.param((1, 24), "/apis/storage.k8s.io/v1beta1/csistoragecapacities", 404, id="not from 1.24"),
    ],
)
def test_kinds_are_served_in_the_versions_of_the_release(release, path, status):
    api = Api(Store(Clock()))
    serve_retired(api.kinds, release)
    assert api.handle(Request("GET", path)).status == status
