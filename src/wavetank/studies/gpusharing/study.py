"""GPUs that each policy of GPU sharing allocates, while pods arrive until they request 1.3 times all GPUs."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, stdev

from wavetank.api.experiments import run as run_experiment
from wavetank.api.results import Results
from wavetank.studies.charts import Axis, line_chart
from wavetank.studies.data import DataSet
from wavetank.studies.gpusharing.sample import write_sample
from wavetank.studies.study import Claim, Findings, Picture, Study, StudyContext, Table, check, unchecked
from wavetank.words import counted

POLICIES = ("Random", "DotProd", "GpuClustering", "GpuPacking", "BestFit", "FGD")
LOADS = range(131)  # requested GPUs of all pods submitted so far, in percent of all GPUs
NODES, PODS, PUBLISHED = "openb_node_list_gpu_node.csv", "openb_pod_list_default.csv", "fgd_expected_allo.csv"
SEEDS, SMALL_SEEDS = range(42, 52), range(1, 3)
SAME = 0.011  # percentage points: a digit of what is published, which is rounded
DATA = DataSet(
    name="openb",
    what="Alibaba's trace of 2023 (cluster-trace-gpu-v2023)",
    origin="https://github.com/hkust-adsl/kubernetes-scheduler-simulator, data/csv",
    files=(NODES, PODS),
    needed="full",
)


@dataclass(frozen=True)
class Policy:
    """What a policy reached: allocation and fragmentation of each seed, in percent of all GPUs, and the mean curve."""

    allocation: Sequence[float]
    fragmentation: Sequence[float]
    curve: Sequence[float]


def run(context: StudyContext) -> Findings:
    """Runs all policies: the small form on a trace that is made up, the full one on Alibaba's."""
    folder = None if context.small else context.folders[DATA.name]
    nodes, pods = write_sample(context.runs) if folder is None else (folder / NODES, folder / PODS)
    seeds = SMALL_SEEDS if context.small else SEEDS
    capacity = _capacity(nodes)
    policies = {}
    for policy in context.track(POLICIES):
        results = run_experiment(
            cluster=nodes,
            workload={"file": str(pods.resolve()), "inflate": {"resource": "gpu", "target": 1.3}},
            schedulers=policy,
            seeds=list(seeds),
            out=context.runs / policy,
            jobs=context.jobs,
        )
        policies[policy] = _policy(results, policy, seeds, capacity)
    published = _published(folder / PUBLISHED) if folder is not None and (folder / PUBLISHED).exists() else {}
    trace = "a trace made up" if context.small else "Alibaba's trace of 2023"
    return Findings(
        claims=_claims(policies, published, capacity / 1000, context.small),
        tables=[_table(policies, published)],
        pictures=[_picture(policies)],
        facts=[trace, f"{capacity / 1000:,.0f} GPUs", counted(len(seeds), "seed")],
    )


def _policy(results: Results, name: str, seeds: Sequence[int], capacity: float) -> Policy:
    rows = results.summary("rows")
    curves = [_curve(results, name, seed, capacity) for seed in seeds]
    return Policy(
        [row["gpu_allocation"] for row in rows],
        [row["gpu_fragmentation"] for row in rows],
        [mean(values) for values in zip(*curves, strict=True)],
    )


def _curve(results: Results, policy: str, seed: int, capacity: float) -> list[float]:
    """Returns the percentage of allocated GPUs for each requested percentage of LOADS."""
    arrived, used, reached = 0.0, 0.0, [0.0]
    for pod in results.pods(policy, seed, "rows"):
        wanted = 100 * pod["gpu_milli"] / capacity
        arrived += wanted
        used += wanted if pod["node"] else 0
        while len(reached) <= arrived and len(reached) < len(LOADS):
            reached.append(used)
    return reached + [used] * (len(LOADS) - len(reached))


def _capacity(nodes: Path) -> float:
    """Returns the GPUs of a list of nodes, in thousandths."""
    with nodes.open(newline="") as file:
        return 1000 * sum(int(row["gpu"]) for row in csv.DictReader(file))


def _published(path: Path) -> dict[str, list[float]]:
    """Returns the final allocation of each published run, by policy and in the order of the seeds."""
    found: dict[str, list[float]] = {}
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            if f"{row['workload']}.csv" == PODS:
                values = [value for load in LOADS if (value := row.get(str(load)))]
                found.setdefault(row["sc_policy"].partition("-")[2], []).append(float(values[-1]))
    return found


def _claims(
    policies: Mapping[str, Policy], published: Mapping[str, Sequence[float]], gpus: float, small: bool
) -> list[Claim]:
    allocation = {name: mean(each.allocation) for name, each in policies.items()}
    fragmentation = {name: mean(each.fragmentation) for name, each in policies.items()}
    others = [name for name in POLICIES[1:] if name != "FGD"]
    saved = {name: (allocation["FGD"] - allocation[name]) / (100 - allocation[name]) for name in others}
    most = max(saved, key=lambda name: saved[name])
    second = max(others, key=lambda name: allocation[name])
    return [
        check(
            "most-allocated",
            "FGD allocates more GPUs than the packing policies",
            "abstract, section 6",
            published=_best(published),
            measured=f"FGD {allocation['FGD']:.2f} %, then {second} {allocation[second]:.2f} %",
            holds=allocation["FGD"] > allocation[second],
            otherwise=f"{second} allocates more",
        ),
        check(
            "least-fragmented",
            "FGD keeps fragmentation lowest",
            "abstract, section 6",
            published="",
            measured=f"FGD {fragmentation['FGD']:.2f} %, others {_range([fragmentation[name] for name in others])} %",
            holds=fragmentation["FGD"] < min(fragmentation[name] for name in others),
            otherwise="another policy has less",
        ),
        _saved(saved, most, gpus, allocation, small),
        _digits(policies, published, small),
    ]


def _saved(saved: Mapping[str, float], most: str, gpus: float, allocation: Mapping[str, float], small: bool) -> Claim:
    more = gpus * (allocation["FGD"] - allocation[most]) / 100
    measured = f"up to {100 * saved[most]:.0f} % ({most}), {more:.0f} GPUs more"
    statement = "compared with packing policies, FGD leaves up to 49 % fewer GPUs unallocated: 290 GPUs more are used"
    published = "up to 49 %, 290 GPUs"
    if small:
        reason = "only the full form runs on Alibaba's trace"
        return unchecked("unallocated", statement, "abstract", published=published, measured=measured, reason=reason)
    return check(
        "unallocated",
        statement,
        "abstract",
        published=published,
        measured=measured,
        holds=abs(more - 290) <= 29,
        otherwise="the abstract's figure is the largest over all of the paper's traces; this is one of them",
    )


def _digits(policies: Mapping[str, Policy], published: Mapping[str, Sequence[float]], small: bool) -> Claim:
    key, statement = "same-digits", "the published allocation of each seed, for all policies but Random"
    place = "the authors' expected_results"
    if small or not published:
        reason = (
            "only the full form runs on Alibaba's trace" if small else f"{PUBLISHED} is not in the folder of the data"
        )
        return unchecked(key, statement, place, reason=reason)
    apart = {
        name: max(abs(ours - theirs) for ours, theirs in zip(policies[name].allocation, published[name], strict=True))
        for name in POLICIES[1:]
    }
    return check(
        key,
        statement,
        place,
        published=f"{len(SEEDS)} seeds of {len(apart)} policies, two digits",
        measured=f"at most {max(apart.values()):.3f} percentage points apart",
        holds=max(apart.values()) < SAME,
        otherwise=f"differs for {', '.join(name for name in apart if apart[name] >= SAME)}",
        remark="published are means over the last percent of the load; Random depends on the threads of the original",
    )


def _best(published: Mapping[str, Sequence[float]]) -> str:
    return ", ".join(f"{name} {mean(published[name]):.2f} %" for name in ("FGD", "BestFit") if name in published)


def _range(values: Sequence[float]) -> str:
    return f"{min(values):.2f} to {max(values):.2f}"


def _table(policies: Mapping[str, Policy], published: Mapping[str, Sequence[float]]) -> Table:
    rows = [
        [
            name,
            _spread(each.allocation),
            _spread(published[name]) if name in published else "–",
            _spread(each.fragmentation),
        ]
        for name, each in policies.items()
    ]
    columns = ["policy", "GPU allocation [%]", "published [%]", "GPU fragmentation [%]"]
    return Table("Allocation and fragmentation at the end", columns, rows, "Mean ± standard deviation over the seeds.")


def _spread(values: Sequence[float]) -> str:
    return f"{mean(values):.2f} ± {stdev(values) if len(values) > 1 else 0:.2f}"


def _picture(policies: Mapping[str, Policy]) -> Picture:
    x = Axis("requested by the pods so far, % of all GPUs", 70, 130)
    y = Axis("allocated, % of all GPUs", 70, 100)
    every = {"every pod placed": [(float(load), float(min(load, 100))) for load in LOADS]}
    lines = {f"{name} {each.curve[-1]:.1f}": list(enumerate(map(float, each.curve))) for name, each in policies.items()}
    title = "Allocated GPUs while pods arrive"
    return Picture("allocation", title, line_chart(title, x, y, {**lines, **every}))


STUDY = Study(
    name="gpu-sharing",
    title="GPU sharing: fragmentation gradient descent and packing policies",
    source="Weng et al., Beware of Fragmentation: Scheduling GPU-Sharing Workloads with Fragmentation Gradient "
    "Descent, USENIX ATC 2023",
    summary="Pods that share GPUs arrive until they request 1.3 times the GPUs of the cluster, and none ends. Six "
    "policies place them; the study compares how many GPUs each allocates. The full form repeats the authors' "
    "experiment on Alibaba's trace, the small one runs on fifty nodes and a trace that is made up.",
    run=run,
    data=(DATA,),
)
