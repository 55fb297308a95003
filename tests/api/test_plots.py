"""Pictures of results, drawn by matplotlib."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import wavetank

NODES = {"nodes": [{"count": 2, "cpu": 2, "memory": "4Gi"}]}
BURST = {"kind": "burst", "pods": 6, "duration": 10, "requests": {"cpu": 1, "memory": "1Gi"}}
SCHEDULERS = ["default", "most-allocated"]


@pytest.fixture(scope="module")
def results() -> wavetank.Results:
    return wavetank.run(cluster=NODES, workload={"generator": BURST}, schedulers=SCHEDULERS, seeds="1-2", jobs=1)


@pytest.fixture(autouse=True)
def _closed_figures() -> Iterator[None]:
    yield
    pyplot.close("all")


def drawn(ax: Axes) -> None:
    ax.get_figure().canvas.draw()


def labels(ax: Axes) -> list[str]:
    return [str(line.get_label()) for line in ax.get_lines() if not str(line.get_label()).startswith("_")]


def test_pending_pods_over_time_are_a_line_per_scheduler(results: wavetank.Results) -> None:
    ax = results.plot.queue_length()
    drawn(ax)
    assert labels(ax) == SCHEDULERS
    assert max(ax.get_lines()[0].get_ydata()) == 2  # six pods, of which four run at a time
    assert (ax.get_title(loc="left"), ax.get_xlabel()) == ("Pending pods, seed 1", "Time [s]")


@pytest.mark.parametrize(("resource", "title", "most"), [("cpu", "CPU", 100), ("memory", "Memory", 50)])
def test_utilization_is_drawn_in_percent(results: wavetank.Results, resource: str, title: str, most: float) -> None:
    ax = results.plot.utilization(resource, seed=2, schedulers=["default"])
    drawn(ax)
    assert (ax.get_title(loc="left"), labels(ax)) == (f"{title} requested, seed 2", ["default"])
    assert max(ax.get_lines()[0].get_ydata()) == most
    assert ax.get_legend() is None


def test_waits_are_the_share_of_pods_that_waited_longer(results: wavetank.Results) -> None:
    ax = results.plot.waits()
    drawn(ax)
    line = ax.get_lines()[0]
    points = list(zip(line.get_xdata().tolist(), line.get_ydata().round(1).tolist(), strict=True))
    assert (points[0], points[-1]) == ((0, 33.3), (10, 0))


def test_pods_that_never_start_wait_for_ever() -> None:
    too_large = {**BURST, "requests": {"cpu": 99}}
    ax = wavetank.run(cluster=NODES, workload={"generator": too_large}).plot.waits()
    drawn(ax)
    assert ax.get_lines()[0].get_ydata().tolist() == [100]


def test_a_gantt_chart_has_a_bar_per_pod_and_names_nodes(results: wavetank.Results) -> None:
    ax = results.plot.gantt("most-allocated", seed=2)
    drawn(ax)
    (bars,) = ax.collections
    assert len(bars.get_paths()) == 6
    assert [label.get_text() for label in ax.get_yticklabels()] == ["node-0", "node-1"]
    tops = {round(float(path.vertices[:, 1].min()), 2) for path in bars.get_paths()}
    assert tops == {-0.43, 0.0, 0.57, 1.0}  # two lanes on each of two nodes


def test_schedulers_are_compared_with_a_picture_per_metric(results: wavetank.Results) -> None:
    figure = results.plot.comparison(["makespan_s", "mean_waiting_time_s"])
    assert isinstance(figure, Figure)
    figure.canvas.draw()
    titles = [ax.get_title(loc="left") for ax in figure.axes if ax.axison]
    assert titles == ["Makespan [s]", "Mean waiting time [s]"]
    results.plot.comparison().canvas.draw()


def test_pictures_are_drawn_on_given_axes(results: wavetank.Results) -> None:
    figure, (left, right) = pyplot.subplots(1, 2)
    assert results.plot.queue_length(ax=left) is left
    assert results.plot.gantt(ax=right) is right
    assert pyplot.get_fignums() == [figure.number]


def test_a_sweep_is_drawn_by_scenario() -> None:
    sweep = wavetank.sweep(
        cluster=NODES,
        workload={"generator": BURST},
        schedulers=SCHEDULERS,
        scenarios={"clusters": [{"name": "today", "nodes": "+0%"}, {"name": "more", "nodes": "+100%"}]},
        jobs=1,
    )
    ax = sweep.plot.comparison()
    drawn(ax)
    assert ax.get_title(loc="left") == "Mean job latency [s]"
    assert [label.get_text() for label in ax.get_yticklabels()] == ["today", "more"]
    assert labels(ax) == SCHEDULERS
    assert sweep.plot.comparison("cpu_utilization").get_title(loc="left") == "CPU utilisation [%]"
    with pytest.raises(wavetank.InputError, match="there is no metric 'wait' in these results"):
        sweep.plot.comparison("wait")


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda plot: plot.waits(seed=9), "there is no run of 'default' with seed 9"),
        (lambda plot: plot.gantt("nope"), "there is no run of 'nope'"),
        (lambda plot: plot.queue_length(schedulers=["nope"]), "there is no run of 'nope'"),
        (lambda plot: plot.utilization("disk"), "resource: expected cpu or memory, got 'disk'"),
        (lambda plot: plot.comparison(["wait"]), "metrics: there is no metric 'wait' in these results"),
    ],
)
def test_what_is_not_in_the_results_is_not_drawn(results: wavetank.Results, draw: object, message: str) -> None:
    with pytest.raises(wavetank.InputError, match=message):
        draw(results.plot)  # type: ignore[operator]


def test_without_matplotlib_the_message_says_what_to_install(
    results: wavetank.Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(wavetank.InputError, match=r"plots need matplotlib: pip install 'wavetank\[plot\]'"):
        results.plot.waits()
