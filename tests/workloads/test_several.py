from __future__ import annotations

from tests.workloads.inputs import a_file, arrivals_of
from wavetank.workloads.formats.batsim.workload import BatsimWorkload
from wavetank.workloads.workload import Workloads


def a_workload(*subtimes: float, res: int = 1) -> BatsimWorkload:
    jobs = [{"id": i, "subtime": time, "res": res, "profile": "p"} for i, time in enumerate(subtimes)]
    document = {"nb_res": 9, "jobs": jobs, "profiles": {"p": {"type": "delay", "delay": 1}}}
    return BatsimWorkload(a_file(document, "w.json"))


def test_workloads_are_merged_and_named_in_their_order() -> None:
    both = Workloads([a_workload(0, 5), a_workload(0, 3, res=2)])
    arrivals = arrivals_of(both)
    assert [arrival.pod.name for arrival in arrivals] == ["w0-0", "w1-0-0", "w1-0-1", "w1-1-0", "w1-1-1", "w0-1"]
    jobs = [arrival.pod.behavior.job for arrival in arrivals if arrival.pod.behavior]
    assert [job.workload for job in jobs if job] == ["w0", "w1", "w1", "w1", "w1", "w0"]
    assert jobs[1] is jobs[2]
    assert jobs[1] is not jobs[3]
    assert both.description == "2 jobs from w.json and 2 jobs from w.json"
