"""InterPodAffinity on four nodes, each value worked out by hand from kube-scheduler's rules.

Scores are the weights of all terms that meet a node's domain, then 100 * (score - lowest) / (highest - lowest).
"""

from __future__ import annotations

import pytest

from tests.scheduling.plugins.four_nodes import four_nodes, only_score, scores
from tests.support.objects import HOSTNAME, ZONE, a_pod
from wavetank.scheduling.framework.events import ClusterEvent as E
from wavetank.scheduling.framework.nodes import podindex
from wavetank.scheduling.framework.nodes.podindex import PodIndex
from wavetank.scheduling.plugins import interpodaffinity

AFFINITY = "node(s) didn't match pod affinity rules"
ANTI_AFFINITY = "node(s) didn't match pod anti-affinity rules"
EXISTING = "node(s) didn't satisfy existing pods anti-affinity rules"
TEAM_X = {"matchLabels": {"team": "x"}}


@pytest.fixture(autouse=True, params=[None, 1], ids=["few", "many"])
def many(request, monkeypatch):
    """Lets the rules for very many terms and labels apply to any number of them; they must not change a result."""
    if request.param is not None:
        monkeypatch.setattr(podindex, "VERY_MANY", 0)
        monkeypatch.setattr(interpodaffinity, "MANY_TERMS", request.param)


def term(key=ZONE, where=None, **labels):
    return {"topologyKey": key, "labelSelector": {"matchLabels": labels or {"app": "web"}}, **(where or {})}


def near(*terms):
    return {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": list(terms)}}


def far(*terms):
    return {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": list(terms)}}


def preferring(*weighted, side="podAffinity"):
    preferred = [{"weight": weight, "podAffinityTerm": one} for weight, one in weighted]
    return {side: {"preferredDuringSchedulingIgnoredDuringExecution": preferred}}


def avoiding(*weighted):
    return preferring(*weighted, side="podAntiAffinity")


def on(node, app="web", namespace="default", affinity=None, **labels):
    """Returns a bound pod."""
    name = "-".join([app, node, namespace, *labels.values()])
    fields = {"affinity": affinity} if affinity else {}
    return a_pod(name, node, labels={"app": app, **labels}, metadata={"namespace": namespace}, **fields)


def namespace(name, **labels):
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}


def terminating(pod):
    pod.deleted = 1
    return pod


@pytest.mark.parametrize(
    ("pods", "affinity", "labels", "feasible"),
    [
        pytest.param([on("a")], near(term()), {}, "ab", id="in the zone of a web server"),
        pytest.param([on("a")], near(term(HOSTNAME)), {}, "a", id="on its node"),
        pytest.param([on("a"), on("c")], near(term()), {}, "abc", id="in the zone of any of them"),
        pytest.param([on("d")], near(term()), {}, "", id="a pod outside of all zones is in none"),
        pytest.param([], near(term()), {}, "", id="there is no web server"),
        pytest.param([], near(term()), {"app": "web"}, "abc", id="the pod itself is the first, on labelled nodes"),
        pytest.param([on("a", "db")], near(term()), {"app": "web"}, "abc", id="the first, beside other pods"),
        pytest.param([on("a")], near(term()), {"app": "web"}, "ab", id="the second follows the first"),
        pytest.param([terminating(on("a"))], near(term()), {}, "ab", id="terminating pods count"),
        pytest.param([on("a", tier="front")], near(term(), term(HOSTNAME, tier="front")), {}, "a", id="both terms met"),
        pytest.param(
            [on("a"), on("b", "db", tier="front")],
            near(term(), term(HOSTNAME, tier="front")),
            {},
            "",
            id="both terms must be met by one pod",
        ),
    ],
)
def test_required_affinity_keeps_a_pod_near_others(pods, affinity, labels, feasible):
    assert four_nodes(pods).feasible(a_pod(labels=labels, affinity=affinity)) == set(feasible)


@pytest.mark.parametrize(
    ("pods", "affinity", "feasible"),
    [
        pytest.param([on("a")], far(term()), "cd", id="out of its zone; a node without one is far from all"),
        pytest.param([on("a")], far(term(HOSTNAME)), "bcd", id="off its node"),
        pytest.param([on("d")], far(term()), "abcd", id="a pod outside of all zones keeps none away"),
        pytest.param([], far(term(app="a")), "abcd", id="its own labels do not matter"),
        pytest.param([on("a"), on("c", "db")], far(term(), term(HOSTNAME, app="db")), "d", id="one term is enough"),
        pytest.param([terminating(on("a"))], far(term()), "cd", id="terminating pods count"),
    ],
)
def test_required_anti_affinity_keeps_a_pod_far_from_others(pods, affinity, feasible):
    assert four_nodes(pods).feasible(a_pod(labels={"app": "a"}, affinity=affinity)) == set(feasible)


@pytest.mark.parametrize(
    ("where", "met"),
    [
        pytest.param({}, False, id="the pod's own namespace"),
        pytest.param({"namespaces": ["other"]}, True, id="by name"),
        pytest.param({"namespaces": ["default"]}, False, id="by another name"),
        pytest.param({"namespaceSelector": TEAM_X}, True, id="by its labels"),
        pytest.param({"namespaceSelector": {"matchLabels": {"team": "y"}}}, False, id="by other labels"),
        pytest.param({"namespaceSelector": {}}, True, id="all namespaces"),
        pytest.param({"namespaces": ["default"], "namespaceSelector": TEAM_X}, True, id="by name or by labels"),
    ],
)
def test_a_term_names_namespaces(where, met):
    cluster = four_nodes([on("a", namespace="other"), namespace("other", team="x"), namespace("default")])
    assert cluster.feasible(a_pod(affinity=near(term(where=where)))) == (set("ab") if met else set())
    assert cluster.feasible(a_pod(affinity=far(term(where=where)))) == (set("cd") if met else set("abcd"))


def test_a_pod_is_not_the_first_of_a_term_for_another_namespace():
    affinity = near(term(where={"namespaces": ["other"]}))
    assert four_nodes().feasible(a_pod(labels={"app": "web"}, affinity=affinity)) == set()


@pytest.mark.parametrize(
    ("pod", "feasible"),
    [
        pytest.param(on("a", affinity=far(term(app="me"))), "cd", id="in the zone of the other"),
        pytest.param(on("a", affinity=far(term(HOSTNAME, app="me"))), "bcd", id="on the node of the other"),
        pytest.param(on("d", affinity=far(term(app="me"))), "abcd", id="the other is outside of all zones"),
        pytest.param(on("a", affinity=far(term(app="you"))), "abcd", id="others are meant"),
        pytest.param(on("a", affinity=near(term(app="you"))), "abcd", id="affinity keeps no pod away"),
        pytest.param(on("a", affinity=avoiding((5, term(app="me")))), "abcd", id="a preference keeps no pod away"),
        pytest.param(
            on("a", namespace="other", affinity=far(term(app="me"))), "abcd", id="the other means its own namespace"
        ),
        pytest.param(
            on("a", namespace="other", affinity=far(term(app="me", where={"namespaces": ["default"]}))),
            "cd",
            id="the other names this namespace",
        ),
    ],
)
def test_the_anti_affinity_of_existing_pods_keeps_a_pod_away(pod, feasible):
    assert four_nodes([pod]).feasible(a_pod(labels={"app": "me"})) == set(feasible)


@pytest.mark.parametrize(
    ("pods", "affinity", "reasons"),
    [
        pytest.param([], near(term()), [f"4 {AFFINITY}"], id="affinity"),
        pytest.param(
            [on(node) for node in "abcd"], far(term(HOSTNAME)), [f"4 {ANTI_AFFINITY}"], id="anti-affinity of its own"
        ),
        pytest.param(
            [on(node, affinity=far(term(HOSTNAME, app="me"))) for node in "abcd"],
            {},
            [f"4 {EXISTING}"],
            id="anti-affinity of existing pods",
        ),
        pytest.param(
            [on(node, affinity=far(term(HOSTNAME, app="me"))) for node in "abcd"],
            {**near(term()), **far(term(HOSTNAME))},
            [f"1 {AFFINITY}", f"3 {ANTI_AFFINITY}"],
            id="affinity first, then its own anti-affinity",
        ),
    ],
)
def test_the_first_rule_that_fails_gives_the_reason(pods, affinity, reasons):
    assert four_nodes(pods).reasons(a_pod(labels={"app": "me"}, affinity=affinity)) == reasons


@pytest.mark.parametrize(
    ("pods", "affinity", "expected"),
    [
        pytest.param([on("a")], preferring((10, term())), (100, 100, 0, 0), id="near one"),
        pytest.param([on("a"), on("c")], preferring((10, term(HOSTNAME))), (100, 0, 100, 0), id="near any of two"),
        # z1 holds two, z2 one: 2, 2, 1, 0
        pytest.param([on("a"), on("b"), on("c")], preferring((1, term())), (100, 100, 50, 0), id="pods add up"),
        # a 5, b 5 + 3, c and d 0: 100 * 5 / 8 = 62.5
        pytest.param(
            [on("a"), on("b", "db")],
            preferring((5, term()), (3, term(HOSTNAME, app="db"))),
            (62, 100, 0, 0),
            id="weights of terms add up",
        ),
        pytest.param([on("a")], avoiding((4, term())), (0, 0, 100, 100), id="far from one"),
        # a 5 - 2, b 5, c and d 0
        pytest.param(
            [on("a")],
            {**preferring((5, term())), **avoiding((2, term(HOSTNAME)))},
            (60, 100, 0, 0),
            id="near in the zone, yet not on the node",
        ),
        # a: the pod has both labels, 2; b: one of them, 1
        pytest.param(
            [on("a", team="x"), on("b")],
            preferring((1, term(HOSTNAME)), (1, term(HOSTNAME, team="x"))),
            (100, 50, 0, 0),
            id="a pod counts for each term that it matches",
        ),
        pytest.param(
            [on("a", team="x"), on("b")],
            {**preferring((1, term(HOSTNAME))), **avoiding((1, term(HOSTNAME, team="x")))},
            (0, 100, 0, 0),
            id="terms for and against a pod cancel each other out",
        ),
        pytest.param([], preferring((10, term())), (0, 0, 0, 0), id="no pods there"),
        pytest.param([on("a", namespace="other")], preferring((10, term())), (0, 0, 0, 0), id="another namespace"),
    ],
)
def test_preferences_of_the_pod_score_nodes(pods, affinity, expected):
    cluster = four_nodes(pods, **only_score("InterPodAffinity"))
    assert scores(cluster, a_pod(affinity=affinity)) == dict(zip("abcd", expected, strict=True))


@pytest.mark.parametrize(
    ("pods", "args", "expected"),
    [
        pytest.param([on("a", affinity=preferring((5, term(app="me"))))], {}, (100, 100, 0, 0), id="one wants it near"),
        pytest.param(
            [on("c", affinity=avoiding((5, term(HOSTNAME, app="me"))))], {}, (100, 100, 0, 100), id="one avoids it"
        ),
        pytest.param([on("a", affinity=near(term(app="me")))], {}, (100, 100, 0, 0), id="one requires it, weight 1"),
        # a 10, c 5
        pytest.param(
            [
                on("a", affinity=near(term(HOSTNAME, app="me"))),
                on("c", affinity=preferring((5, term(HOSTNAME, app="me")))),
            ],
            {"hardPodAffinityWeight": 10},
            (100, 0, 50, 0),
            id="a requirement weighs as much as the profile says",
        ),
        pytest.param(
            [on("a", affinity=near(term(app="me")))], {"hardPodAffinityWeight": 0}, (0, 0, 0, 0), id="or nothing"
        ),
        pytest.param([on("a", affinity=far(term(app="you")))], {}, (0, 0, 0, 0), id="anti-affinity scores nothing"),
        pytest.param(
            [on("a", affinity=preferring((5, term(app="me"))))],
            {"ignorePreferredTermsOfExistingPods": True},
            (0, 0, 0, 0),
            id="preferences of existing pods are ignored",
        ),
    ],
)
def test_terms_of_existing_pods_score_nodes(pods, args, expected):
    cluster = four_nodes(pods, **only_score("InterPodAffinity", **args))
    assert scores(cluster, a_pod(labels={"app": "me"})) == dict(zip("abcd", expected, strict=True))


WEB, OTHER = on("a"), on("a", "db")
NODE = four_nodes().table.nodes[0]


@pytest.mark.parametrize(
    ("affinity", "event", "old", "new", "helps"),
    [
        pytest.param(near(term()), E.ASSIGNED_POD_ADD, None, WEB, True, id="a pod to be near is bound"),
        pytest.param(near(term()), E.ASSIGNED_POD_ADD, None, OTHER, False, id="another pod is bound"),
        pytest.param(far(term()), E.ASSIGNED_POD_DELETE, WEB, None, True, id="a pod to be far from ends"),
        pytest.param(far(term()), E.ASSIGNED_POD_DELETE, OTHER, None, False, id="another pod ends"),
        pytest.param(
            {},
            E.ASSIGNED_POD_DELETE,
            on("a", affinity=far(term(app="me"))),
            None,
            False,
            id="a pod that kept it away ends",
        ),
        pytest.param(near(term()), E.ASSIGNED_POD_LABEL, OTHER, WEB, True, id="a pod becomes one to be near"),
        pytest.param(far(term()), E.ASSIGNED_POD_LABEL, WEB, OTHER, True, id="a pod is no more one to be far from"),
        pytest.param(near(term()), E.NODE_ADD, None, NODE, True, id="a node of the topology comes"),
    ],
)
def test_an_event_requeues_a_pod_if_its_own_terms_are_concerned(affinity, event, old, new, helps):
    waiting = a_pod(labels={"app": "me"}, affinity=affinity)
    assert four_nodes().framework.hints["InterPodAffinity"][event](waiting, old, new) is helps


@pytest.mark.parametrize("affinity", [far, near, lambda *terms: preferring(*((1, one) for one in terms))])
def test_thousands_of_terms_are_counted_together(monkeypatch, affinity):
    made = []
    count = PodIndex._count
    monkeypatch.setattr(PodIndex, "_count", lambda self, query: made.append(query) or count(self, query))
    terms = [term(**{f"k{i}": "v"}) for i in range(500)]
    four_nodes([on("a", **{f"k{i}": "v" for i in range(500)})]).attempt(a_pod("p", affinity=affinity(*terms)))
    assert len(made) <= 2
