"""The conformance tests pass for what comes with wavetank, and find what is wrong with others."""

import random
import sys

import numpy as np
import pytest

import wavetank
from tests.support.paths import EXAMPLES
from wavetank.errors import SchedulerError
from wavetank.scheduling.policies.fit import BestFit
from wavetank.scheduling.policies.randomfit import RandomFit
from wavetank.scheduling.policies.roundrobin import RoundRobin
from wavetank.scheduling.policies.topsis.policy import Topsis
from wavetank.testing import PolicyConformance, SchedulerConformance

sys.path.insert(0, str(EXAMPLES / "09-three-policies"))
from policies import EvenShares, LeastRecent, Tidy

POLICIES = [BestFit, RandomFit, RoundRobin, Topsis, Tidy, EvenShares, LeastRecent]


class TestNamed(SchedulerConformance):
    @pytest.fixture(autouse=True, params=["default", "easy", "conservative"])
    def _named(self, request):
        self.scheduler = request.param


class TestPolicies(PolicyConformance):
    @pytest.fixture(autouse=True, params=POLICIES, ids=lambda policy: policy.__name__)
    def _policy(self, request):
        self.policy = request.param


class TestBothForms(PolicyConformance):
    class Both(wavetank.Policy):
        def filter(self, pod, node):
            return node.free["cpu"] >= pod.requests["cpu"] or "too tight"

        def filter_nodes(self, pod, nodes):
            return nodes.free["cpu"] >= pod.requests["cpu"]

        def score(self, pod, node):
            return node.free["memory"]

        def score_nodes(self, pod, nodes):
            return nodes.free["memory"]

    policy = Both


def asking(policy):
    class Asked(PolicyConformance):
        pass

    Asked.policy = policy
    return Asked()


class Dice:
    def score(self, pod, node):
        return random.random()


class Picky:
    def filter(self, pod, node):
        return pod.requests["cpu"] < 2000


class TwoMinds:
    def score(self, pod, node):
        return node.free["cpu"]

    def score_nodes(self, pod, nodes):
        return nodes.free["cpu"] + np.arange(len(nodes))


def test_chance_that_does_not_follow_the_seed_is_found():
    with pytest.raises(AssertionError, match="had another result the second time"):
        asking(Dice).test_the_same_seed_gives_the_same_run()


def test_a_pod_that_is_never_let_in_is_found():
    with pytest.raises(AssertionError, match=r"pods never ran, such as"):
        asking(Picky).test_no_pod_is_forgotten()


def test_two_forms_that_differ_are_found():
    with pytest.raises(SchedulerError, match=r"score_nodes says [\d.]+ and score [\d.]+ of one node"):
        asking(TwoMinds).test_arrays_say_the_same_as_single_nodes()
