"""What must hold of K8sSim's algorithms for Volcano whatever the cluster and the jobs are like."""

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.scheduling.named.k8ssimcluster import NAMES, K8sSimCluster

nodes = st.lists(st.integers(1, 6), min_size=1, max_size=4)
jobs = st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5), st.sampled_from([1, 2])), min_size=1, max_size=5)


def a_cluster(cpus, wanted):
    cluster = K8sSimCluster(*((f"n{i}", cpu, "64Gi") for i, cpu in enumerate(cpus)))
    for i, (pods, least, cpu) in enumerate(wanted):
        cluster.job(f"j{i}", pods=pods, least=min(least, pods), cpu=str(cpu))
    return cluster


@settings(max_examples=40, deadline=None)
@given(nodes, jobs, st.sampled_from(NAMES))
def test_no_node_is_over_committed_and_no_gang_is_torn(cpus, wanted, algorithm):
    places = a_cluster(cpus, wanted).schedule(algorithm)
    used, bound = Counter(), Counter()
    for name, place in places.items():
        if place:
            job = name.partition("-")[0]
            used[place] += wanted[int(job[1:])][2]
            bound[job] += 1
    assert all(used[f"n{i}"] <= cpu for i, cpu in enumerate(cpus))
    if "GANG" in algorithm:
        assert all(
            bound[f"j{i}"] in (0, *range(min(least, pods), pods + 1)) for i, (pods, least, _) in enumerate(wanted)
        )


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 12), st.lists(st.integers(1, 6), min_size=1, max_size=5), st.sampled_from(["LRP", "MRP", "BRA"]))
def test_drf_never_serves_a_job_before_one_with_a_smaller_share(cpu, sizes, score):
    """With equal pods, a job that still waits has at most one pod less than any other."""
    places = a_cluster([cpu], [(size, 1, 1) for size in sizes]).schedule(f"DRF_{score}")
    bound = Counter(name.partition("-")[0] for name, place in places.items() if place)
    shares = [bound[f"j{i}"] for i in range(len(sizes))]
    waiting = [share for share, size in zip(shares, sizes, strict=True) if share < size]
    assert sum(shares) == min(cpu, sum(sizes))
    assert all(max(shares) <= share + 1 for share in waiting)
