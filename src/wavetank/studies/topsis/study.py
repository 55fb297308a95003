"""The experiments of the thesis on TOPSIS, with its own arithmetic and the correct one, and larger ones."""

from __future__ import annotations

from collections.abc import Mapping

from wavetank.studies.charts import Axis, line_chart
from wavetank.studies.study import Claim, Findings, Picture, Study, StudyContext, check, unchecked
from wavetank.studies.topsis.large import Curves, overload_claim, pressure_table
from wavetank.studies.topsis.runs import NETWORK_FIRST, demonstration, on_thesis_nodes, pressure, under_load
from wavetank.studies.topsis.scenarios import (
    arithmetic_claim,
    load_claims,
    load_table,
    weight_claims,
    weight_table,
)
from wavetank.studies.topsis.thesis import LOADS


def run(context: StudyContext) -> Findings:
    """Runs all cases of both scenarios, the demonstration, and a larger cluster."""
    cases = list(LOADS)
    chosen = {case: under_load(context, case, LOADS[case][0]) for case in context.track(cases, lambda i: f"case {i}")}
    curves = pressure(context)
    claims = [
        *load_claims(chosen),
        arithmetic_claim(),
        *weight_claims(),
        _kubernetes(context),
        _demonstration(demonstration(context)),
        *_future(context, curves),
    ]
    return Findings(
        claims=claims,
        tables=[load_table(chosen), weight_table(), pressure_table(curves)],
        pictures=[_picture(curves)],
        facts=["3 nodes of the thesis", f"{len(curves['default'])} nodes of three sizes beside them"],
    )


def _kubernetes(context: StudyContext) -> Claim:
    (some,) = on_thesis_nodes(context, {"name": "default"})
    (none,) = on_thesis_nodes(context, {"name": "default"}, requests={})
    return unchecked(
        "kubernetes-1",
        "kube-scheduler chooses node 1, as the custom scheduler with equal weights",
        "section 6.2, case 1",
        published="node 1",
        measured=f"node {some} for a pod that requests 0.1 CPU, node {none} for one that requests nothing",
        reason="the thesis does not say what its pods request, and kube-scheduler's choice depends on it",
    )


def _demonstration(found: Mapping[str, str]) -> Claim:
    return check(
        "replication-controller",
        "the pod of a ReplicationController is pending until the custom scheduler runs, which binds it to node 1",
        "figures 8 and 9",
        published="Pending for 23 s, then Running on kclient",
        measured=f"{found['without']} after 23 s, with the scheduler {found['with']}",
        holds=found["without"].startswith("Pending") and found["with"].startswith("Running on kclient-1"),
        otherwise="the pod was not pending, or went to another node",
        remark="docs/how-to/schedule-with-topsis.md does it with kubectl on wavetank serve",
    )


def _future(context: StudyContext, curves: Curves) -> list[Claim]:
    once = on_thesis_nodes(context, {"name": "once", "policy": "topsis", "args": {"compat": "seed"}}, pods=6)
    each = on_thesis_nodes(context, {"name": "each", "policy": "topsis"}, pods=6)
    (near,) = on_thesis_nodes(context, {"name": "network", "policy": "topsis", "args": NETWORK_FIRST})
    return [
        check(
            "all-to-one",
            "all pending pods go to the node that is best at that moment",
            "section 5, figure 6",
            published="one node",
            measured=f"6 pods: nodes {_numbers(once)} with compat: seed, nodes {_numbers(each)} if each is ranked anew",
            holds=len(set(once)) == 1,
            otherwise="the pods went to several nodes",
        ),
        overload_claim(curves),
        check(
            "network",
            "networking parameters in the matrix",
            "section 7, future work",
            published="",
            measured=f"node {near}, 2 ms away, if latency has half of the weight",
            holds=near == 2,
            otherwise="the nearest node was not chosen",
        ),
    ]


def _numbers(nodes: list[int]) -> str:
    return " ".join(map(str, nodes))


def _picture(curves: Curves) -> Picture:
    title = "Memory that a node needs: requests of pods and load of others"
    points = {name: [(float(i), value) for i, value in enumerate(curve)] for name, curve in curves.items()}
    drawing = line_chart(title, Axis("nodes, the fullest first"), Axis("% of the node's memory", 0), points)
    return Picture("pressure", title, drawing, "Above 100 % a node runs out of memory.")


STUDY = Study(
    name="topsis",
    title="Container scheduling with TOPSIS",
    source="Shriniwar, Container Scheduling Using TOPSIS Algorithm, MSc thesis, National College of Ireland 2020",
    summary="A custom scheduler ranks nodes by weighted criteria. The study repeats both scenarios of the thesis and "
    "its demonstration with the policy topsis and with kube-scheduler, checks its arithmetic, and does what it "
    "leaves to future work: a large cluster, pods ranked one by one, and network criteria.",
    run=run,
)
