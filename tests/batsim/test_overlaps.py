"""Machines that hold several jobs at a time."""

from tests.batsim.scripted import simulate, start_at_once
from wavetank.batsim.outputs.gantt import write_gantt
from wavetank.batsim.outputs.overlaps import Overlap, overlaps_of
from wavetank.kernel.durations import SECOND


def jobs_on_one_machine(*times):
    jobs = [{"id": str(i), "subtime": time} for i, time in enumerate(times)]
    server, _ = simulate(start_at_once, jobs, compute_sharing=True)
    return server


def test_overlaps_are_found_by_machine_and_time():
    jobs = jobs_on_one_machine(0, 4, 30).recorder.jobs
    assert overlaps_of(jobs) == [Overlap(0, 4 * SECOND, 10 * SECOND, ("w0!0", "w0!1"))]


def test_jobs_one_after_the_other_do_not_overlap():
    assert overlaps_of(jobs_on_one_machine(0, 10, 20).recorder.jobs) == []


def test_the_page_says_how_many_and_shades_them(tmp_path):
    server = jobs_on_one_machine(0, 4, 30)
    write_gantt(tmp_path / "r.html", "a <b>", server.recorder.jobs, server.platform.machines, server.clock.now)
    page = (tmp_path / "r.html").read_text()
    assert "2 of 3 jobs shared a machine with another: 1 overlaps." in page
    assert page.count("class=overlap") == 1
    assert "a &lt;b&gt;" in page
