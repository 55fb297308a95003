"""TeaStore under three scheduling policies on five nodes around the world (section 5.1 of Kubernetes-in-the-Loop)."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

from wavetank.errors import InputError
from wavetank.loop.building.cache import Cache
from wavetank.studies.charts import Cell
from wavetank.studies.data import DataSet
from wavetank.studies.study import Claim, Findings, Picture, Study, StudyContext, Table, check, unchecked
from wavetank.studies.teastore.picture import Chart, picture
from wavetank.studies.teastore.runs import POLICIES, REAL, place, respond

DATA = DataSet(
    name="misim-orchestration",
    what="the inputs that the authors published",
    origin="https://github.com/DescartesResearch/misim-orchestration",
    files=("GlobalSchedulingDefault", "GlobalSchedulingEurope"),
)
EU1, EU2, US = "worker-1-eu-west", "worker-2-eu-west", "worker-us-central1"
ASIA, BRAZIL = "worker-asia-southeast1", "worker-southamerica-east1"
SERVICES = ("db", "registry", "persistence", "auth", "image", "recommender", "webui")
FIGURE_4A = {
    "default": (EU1, ASIA, BRAZIL, EU2, US, EU1, EU2),
    "most-allocated": (US, US, US, US, EU2, EU2, EU2),
    "europe-only": (EU1, EU2, EU1, EU2, EU1, EU2, EU1),
}
PAPER_S = 9.2  # seconds of a run with misim-orchestration, its adapter and kube-scheduler
# Means in seconds of a run of misim-orchestration with this placement; the paper gives its figures only as a drawing.
RECORDED = {
    "europe-only": {
        "cartAction_addToCart": 0.0222,
        "index": 0.0167,
        "loginAction_login": 0.0220,
        "loginAction_logout": 0.0135,
    }
}

Placements = Mapping[str, Mapping[str, str]]
Means = Mapping[str, Mapping[str, float]]


def run(context: StudyContext) -> Findings:
    """Places the pods, with the real kube-scheduler too if it is built, and runs the load on them."""
    inputs = context.folders[DATA.name]
    placements, means, times = {}, {}, []
    for policy in context.track(list(POLICIES)):
        begun = time.perf_counter()
        placements[policy] = place(inputs, policy, context.runs / policy)
        means[policy] = respond(inputs, policy, placements[policy])
        times.append(time.perf_counter() - begun)
    mean_time = sum(times) / len(times)
    seconds = {"paper: with the adapter": PAPER_S, "wavetank": mean_time}
    return Findings(
        claims=[
            *_placement_claims(placements),
            _real(context, inputs, placements),
            *_response_claims(means),
            _duration(mean_time),
        ],
        tables=[_response_table(means)],
        pictures=[
            Picture(
                "teastore",
                "Placements, response times and the time of a run",
                picture(Chart(placements, means, RECORDED, seconds)),
                "Circles: a run of misim-orchestration itself with the placement of europe-only.",
            )
        ],
        facts=["5 nodes", "7 services", "20 requests/s for 300 s"],
    )


def _placement_claims(placements: Placements) -> list[Claim]:
    return [
        check(
            f"placement-{policy}",
            f"{policy}: the pods are on the nodes of figure 4a, in the real cluster and in the simulation",
            "section 5.1, figure 4a",
            published="7 of 7 services",
            measured=f"{_same(placements[policy], nodes)} of 7 services on the same nodes",
            holds=_same(placements[policy], nodes) == len(SERVICES),
            otherwise="kube-scheduler chose other nodes",
        )
        for policy, nodes in FIGURE_4A.items()
    ]


def _same(placement: Mapping[str, str], nodes: tuple[str, ...]) -> int:
    return sum(placement[f"teastore-{service}"] == node for service, node in zip(SERVICES, nodes, strict=True))


def _real(context: StudyContext, inputs: Path, placements: Placements) -> Claim:
    key, statement = "real-scheduler", "the real kube-scheduler in the loop of the simulation places the same"
    place_text = "section 5.1"
    try:
        Cache().find(REAL["package"], REAL["version"])
    except InputError:
        build = f"wavetank scheduler build kube-scheduler --version {REAL['version']}"
        return unchecked(key, statement, place_text, reason=f"the real kube-scheduler is not built: {build}")
    policies = list(POLICIES)[:1] if context.small else list(POLICIES)
    others = {policy: place(inputs, policy, context.runs / f"{policy}-real", real=True) for policy in policies}
    same = [policy for policy in policies if others[policy] == placements[policy]]
    return check(
        key,
        statement,
        place_text,
        published="same decisions",
        measured=f"same decisions with {', '.join(same) or 'no policy'}",
        holds=same == policies,
        otherwise="the real and the built-in kube-scheduler differ",
    )


def _response_claims(means: Means) -> list[Claim]:
    overall = {policy: 1000 * sum(each.values()) / len(each) for policy, each in means.items()}
    logout = {policy: 1000 * each["loginAction_logout"] for policy, each in means.items()}
    error = max(
        abs(means[policy][operation] / value - 1) for policy, of in RECORDED.items() for operation, value in of.items()
    )
    return [
        check(
            "order",
            "the default policy has the highest response times, europe-only the lowest",
            "section 5.1, figure 4b",
            published="a drawing",
            measured="mean over the operations: "
            + ", ".join(f"{policy} {value:.0f} ms" for policy, value in overall.items()),
            holds=overall["default"] > overall["most-allocated"] > overall["europe-only"],
            otherwise="the order of the policies differs",
        ),
        check(
            "logout",
            "logout is slower with most-allocated than with default, because auth is in the USA and webui in Europe",
            "section 5.1, figure 4b",
            published="a drawing",
            measured=f"most-allocated {logout['most-allocated']:.1f} ms, default {logout['default']:.1f} ms",
            holds=logout["most-allocated"] > logout["default"],
            otherwise="logout is not slower",
        ),
        check(
            "misim-orchestration",
            "response times as misim-orchestration computes them for europe-only",
            "a run of the authors' program",
            published=", ".join(f"{1000 * value:.1f}" for value in RECORDED["europe-only"].values()) + " ms",
            measured=", ".join(f"{1000 * means['europe-only'][each]:.1f}" for each in RECORDED["europe-only"])
            + f" ms: {100 * error:.1f} % apart at most",
            holds=error < 0.01,
            otherwise="more than 1 % apart",
        ),
        unchecked(
            "real-response-times",
            "the measured response times in the real cluster have the same order",
            "section 5.1, figure 4b",
            published="a drawing",
            reason="the measurements of the Google Cloud cluster are not published as numbers",
        ),
    ]


def _duration(seconds: float) -> Claim:
    return check(
        "duration",
        "a run takes seconds, and scheduling adds hardly anything to it",
        "section 5.1",
        published=f"{PAPER_S} s, 10 ms of it for adapter and kube-scheduler",
        measured=f"{seconds:.1f} s with scheduling, on this machine",
        holds=seconds < PAPER_S,
        otherwise="slower than the paper on its machine",
    )


def _response_table(means: Means) -> Table:
    operations = list(next(iter(means.values())))
    rows: list[list[Cell]] = [
        [operation, *(round(1000 * each[operation], 1) for each in means.values())] for operation in operations
    ]
    return Table("Mean response times [ms]", ["operation", *means], rows)


STUDY = Study(
    name="teastore",
    title="Scheduling policies in a global cluster: TeaStore",
    source="Straesser et al., Kubernetes-in-the-Loop: Enriching Microservice Simulation Through Authentic Container "
    "Orchestration, section 5.1",
    summary="A shop of seven services runs on five nodes in Europe, Asia, South America and the USA. kube-scheduler "
    "places its pods by three policies with the published inputs; then the published load runs on them, with the "
    "published delays between the nodes. The configuration of most-allocated is not among the published files: its "
    "strategy replaces LeastAllocated in that of the default policy.",
    run=run,
    data=(DATA,),
)
