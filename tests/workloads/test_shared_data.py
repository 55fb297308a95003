"""Every workload and cluster file of the shared folder is read, or refused by name for a reason that stands here."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.paths import DATA, shared_data
from tests.workloads.inputs import arrivals_of
from wavetank.cluster.objects.podspec import SpecTable
from wavetank.errors import InputError
from wavetank.kernel.randomness import Streams
from wavetank.workloads.formats.schedulerperf.cases import case_names
from wavetank.workloads.formats.schedulerperf.workload import SchedulerPerfWorkload, read_scheduler_perf_cluster
from wavetank.workloads.inputfile import InputFile
from wavetank.workloads.open import FORMATS, format_of
from wavetank.workloads.workload import object_arrivals

PERF = "scheduler_perf"
# What is neither: inputs of other packages, recorded truth, and what belongs to a file beside it.
OTHERS_OF_THE_FOLDER = """
    SOURCES.md api-transcripts/** autoscaler/** batch-operator/** golden/** hpa/** k8s-score-tables/** misim*/**
    timelines/** volcano/** batkube-real-k3s/*_jobs.csv batsim/*_jobs.csv batsim/events/* k8s-sims/results_*
    k8ssim/results/** k8ssim/common/scheduler_conf_sim/* oar-real-g5k/*.csv openb/fgd_expected_* ufcg-real-k8s/*/*.dat
    scheduler_perf/**
"""
REFUSED = {
    "batsim/workloads/test_various_profile_types.json": "communication needs a network model",
    "ufcg-real-k8s/hosts.txt": "not valid YAML",  # no other tool writes this format, and its meaning is inferred
    "ufcg-real-k8s/validation1_workload1/workload.csv": "the format is not known",
}
REFUSED_CASES = {
    "Go templates are not filled in": """
        dra/CompatibilityGroups dra/ConsumableCapacity dra/ExtendedResource dra/ExtendedResourceScoring
        dra/SchedulingWithResourceClaimTemplateListAttributes dra/Partitionable dra/PartitionableBacktracking
        dra/PublishResourceSlices dra/SchedulingWithResourceClaimTemplate dra/SchedulingWithResourceClaim
        dra/FirstAvailable dra/SharedPodGroupResourceClaim dra/SharedPodGroupResourceClaimTemplate
        event_handling/EventHandlingPodAdd event_handling/EventHandlingNodeUpdate misc/SchedulingWithExtendedResource
        podgroup/TopologyAwareScheduling
    """,
    "needs dynamic resource allocation": "dra/DeviceTaintToleration",
    "createPodGroups creates PodGroups, which are not simulated": """
        default_preemption/PreemptionPodGroupDisruptionMode podgroup/BasicScheduling podgroup/GangScheduling
        starvation/StarvationPodGroup workload_preemption/GangPreemptionBasic
        workload_preemption/GangPreemptionPodGroups workload_preemption/GangPreemptionAffinity
    """,
    "needs CSI volumes, which are not simulated": """
        event_handling/EventHandlingPodDelete volumes/SchedulingMigratedInTreePVs volumes/SchedulingCSIPVs
    """,
    "createPods with volumes is not simulated": "volumes/SchedulingInTreePVs volumes/PreemptionPVs",
    "createNodes after the first pods": "event_handling/EventHandlingPodUpdate event_handling/EventHandlingNodeAdd",
    "churn in mode recreate deletes objects": "misc/SchedulingWithMixedChurn starvation/StarvationIndependent",
    "deletePods deletes pods": "misc/SchedulingWhileGated misc/SchedulingDeletedPodsWithFinalizers",
}
REASONS = {case: reason for reason, cases in REFUSED_CASES.items() for case in cases.split()}


def files() -> Iterator[str]:
    others = {path for pattern in OTHERS_OF_THE_FOLDER.split() for path in DATA.glob(pattern)}
    for path in sorted(DATA.rglob("*")):
        if path.is_file() and not others.intersection((path, *path.parents)):
            yield str(path.relative_to(DATA))


def cases() -> Iterator[tuple[str, str]]:
    """Yields (file, workload) of the first workload of each of scheduler_perf's cases."""
    for path in sorted((DATA / PERF).rglob("performance-config.yaml")):
        first = {name.partition("/")[0]: name for name in reversed(case_names(InputFile.read(path)))}
        yield from ((str(path.relative_to(DATA)), name) for name in first.values())


def read(file: InputFile) -> int:
    """Returns how many pods, or objects of a cluster, a file holds."""
    entry = FORMATS[format_of(file)]
    if entry.workload is not None:
        try:
            workload = entry.workload(file)
            daemons = object_arrivals(workload, SpecTable(), Streams(1), {"DaemonSet.apps"})
            return len(arrivals_of(workload)) or len(list(daemons))
        except InputError:
            if entry.cluster is None:
                raise
    assert entry.cluster is not None
    return len(entry.cluster(file))


def read_case(file: InputFile) -> None:
    assert read_scheduler_perf_cluster(file)
    assert SchedulerPerfWorkload(file).description


@pytest.mark.parametrize("name", [*files()] or ["the folder"])
def test_a_file_is_read_or_refused_by_name(name: str) -> None:
    file = InputFile.read(shared_data(name))
    if name not in REFUSED:
        assert read(file) > 0
        return
    with pytest.raises(InputError) as caught:
        read(file)
    assert str(caught.value).startswith(str(DATA / name))
    assert REFUSED[name] in str(caught.value)


@pytest.mark.parametrize(("path", "name"), [*cases()] or [("the folder", "of scheduler_perf")])
def test_a_case_of_scheduler_perf_is_read_or_refused_by_name(path: str, name: str) -> None:
    file = InputFile.read(shared_data(path), options={"case": name})
    reason = REASONS.get(f"{path.split('/')[1]}/{name.partition('/')[0]}", "")
    if not reason:
        read_case(file)
        return
    with pytest.raises(InputError) as caught:
        read_case(file)
    assert reason in str(caught.value)


def test_no_refusal_is_out_of_date() -> None:
    shared_data(PERF)
    present = {f"{path.split('/')[1]}/{name.partition('/')[0]}" for path, name in cases()}
    assert set(REASONS) <= present
    assert set(REFUSED) <= set(files())
