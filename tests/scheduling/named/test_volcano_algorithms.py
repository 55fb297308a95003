"""K8sSim's thirteen algorithms for Volcano, worked out by hand on a small node (4 CPU, 8 Gi) and one of twice that."""

import pytest

from tests.scheduling.named.k8ssimcluster import GROUP, LARGE, NAMES, SMALL, K8sSimCluster
from tests.support.objects import pod_manifest
from wavetank.errors import InputError
from wavetank.scheduling.named import find_scheduler, named_schedulers
from wavetank.scheduling.named.volcano import VOLCANO_TEXTS

of_score = {score: [name for name in NAMES if name.endswith(score)] for score in ("LRP", "MRP", "BRA", "BINPACK")}


@pytest.mark.parametrize(
    ("score", "used", "place"),
    [
        # mean of (4-1)/4 = 75 and (8-1)/8 = 87: 81; of 87 and 93: 90
        pytest.param("LRP", {}, "large", id="least requested, empty nodes"),
        # large: (8-5)/8 = 37 and (16-9)/16 = 43, mean 40
        pytest.param("LRP", {"cpu": "4", "memory": "8Gi"}, "small", id="least requested, large half full"),
        pytest.param("MRP", {}, "small", id="most requested, empty nodes: 25 and 12 against 12 and 6"),
        pytest.param("MRP", {"cpu": "4", "memory": "8Gi"}, "large", id="most requested, large half full: 62 and 56"),
        # shares .25 and .125, std .0625: 93; .125 and .0625, std .03: 96
        pytest.param("BRA", {}, "large", id="balanced, empty nodes"),
        # large: .875 and .125, std .375: 62
        pytest.param("BRA", {"cpu": "6", "memory": "1Gi"}, "small", id="balanced, large crooked"),
        pytest.param("BINPACK", {}, "small", id="binpack, empty nodes: 18.75 against 9.375"),
        # (5/8 + 9/16) / 2 * 100 = 59.4
        pytest.param("BINPACK", {"cpu": "4", "memory": "8Gi"}, "large", id="binpack, large half full"),
    ],
)
def test_one_score_decides_where_a_pod_goes(score, used, place):
    for algorithm in of_score[score]:
        cluster = K8sSimCluster(SMALL, LARGE)
        if used:
            cluster.job("there", on="large", **used)
        assert cluster.job("new").schedule(algorithm)["new-0"] == place, algorithm


@pytest.mark.parametrize("algorithm", NAMES)
def test_gangs_are_placed_whole_or_not_at_all_where_there_is_gang(algorithm):
    """Five pods of one CPU that need each other, four CPUs: none of them, or without gang as many as fit."""
    places = K8sSimCluster(SMALL).job("five", pods=5, least=5).schedule(algorithm)
    assert sum(bool(place) for place in places.values()) == (0 if "GANG" in algorithm else 4)


@pytest.mark.parametrize("algorithm", [name for name in NAMES if "GANG" in name])
def test_a_gang_that_does_not_fit_leaves_the_room_to_the_next(algorithm):
    places = K8sSimCluster(SMALL).job("five", pods=5, least=5).job("two", pods=2, least=2).schedule(algorithm)
    assert {name for name, place in places.items() if place} == {"two-0", "two-1"}


@pytest.mark.parametrize("algorithm", NAMES)
def test_the_smallest_dominant_share_goes_first_where_there_is_drf(algorithm):
    """The older job has 2 of 4 CPUs (share 1/2), the younger none; there is room for one pod of two CPUs."""
    cluster = K8sSimCluster(SMALL).job("older", on="small", cpu="2").job("younger", cpu="2")
    cluster.create(pod_manifest("older-1", cpu="2", annotations={GROUP: "older"}, schedulerName="volcano"))
    places = cluster.schedule(algorithm)
    # with gang a job that is not ready goes before one that is, whatever their shares
    assert (places["younger-0"], places["older-1"]) == (("small", "") if _younger_first(algorithm) else ("", "small"))


def _younger_first(algorithm):
    return "DRF" in algorithm or "GANG" in algorithm


@pytest.mark.parametrize("algorithm", NAMES)
def test_a_waiting_time_goes_first_where_there_is_sla(algorithm):
    """Two jobs that need all CPUs; the younger one is promised to wait an hour at most."""
    cluster = K8sSimCluster(SMALL).job("older", cpu="4").job("younger", cpu="4", sla_waiting_time="1h")
    places = cluster.schedule(algorithm)
    assert places["younger-0" if "SLA" in algorithm else "older-0"] == "small"


def test_all_thirteen_are_listed_with_formula_and_source():
    assert set(VOLCANO_TEXTS) == set(NAMES)
    listed = named_schedulers()
    assert all(listed[name].kind == "volcano" and listed[name].formula for name in NAMES)
    with pytest.raises(InputError, match="GANG_LRP takes no arguments"):
        find_scheduler("GANG_LRP", (1, 36), args={"x": 1})
