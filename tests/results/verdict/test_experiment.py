"""The verdict of an experiment says no more than its statistics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.report.synthetic import SUMMARY_COLUMNS, Recipe, write_csv, write_results
from wavetank.results.read.resultsfolder import ResultsFolder
from wavetank.results.verdict.groups import group_of
from wavetank.results.verdict.verdict import ONE_SEED, Verdict, experiment_verdict

Seconds = Sequence[object]


def verdict_of(
    out: Path, makespans: Mapping[str, Seconds], waits: Seconds = (1,), unscheduled: Mapping[str, int] | None = None
) -> Verdict:
    """Returns the verdict of results with these makespans, one per seed; the waits are the same with all schedulers."""
    seeds = range(len(next(iter(makespans.values()))))
    write_results(out, Recipe(schedulers=list(makespans), seeds=list(seeds), pods=5))
    left = unscheduled or {}
    rows = [
        [name, seed, 5, 5, left.get(name, 0), 5, 0, 0, makespan, *[waits[seed % len(waits)]] * 4, 0.5, 0.5, 3]
        for name, column in makespans.items()
        for seed, makespan in enumerate(column)
    ]
    write_csv(out / "summary.csv", SUMMARY_COLUMNS, rows)
    return experiment_verdict(ResultsFolder(out))


@pytest.mark.parametrize(
    ("makespans", "sentence"),
    [
        pytest.param(
            {"default": [100, 200, 300], "a": [78, 178, 278.2]},
            "a finishes 11 % sooner than default (significant, 3 seeds).",
            id="better under every seed",
        ),
        pytest.param(
            {"a": [78, 178, 278.2], "default": [100, 200, 300]},
            "a finishes 11 % sooner than default (significant, 3 seeds).",
            id="the reference is the best itself",
        ),
        pytest.param(
            {"default": [100, 200, 300], "a": [90, 210, 280]},
            "The schedulers cannot be told apart in makespan (3 seeds).",
            id="sometimes better, sometimes worse",
        ),
        pytest.param(
            {"default": [100], "a": [90]},
            "a finishes 10 % sooner than default.",
            id="one seed",
        ),
        pytest.param(
            {"default": [100, 100], "a": [90, 90]},
            "a finishes 10 % sooner than default (the same under all 2 seeds).",
            id="seeds that change nothing are no sample",
        ),
        pytest.param(
            {"default": [100, 200, 300], "a": [60, 160.2, 260], "b": [60.3, 160, 260]},
            "a finishes 20 % sooner than default (significant, 3 seeds); b cannot be told apart from it.",
            id="two that are equally good",
        ),
        pytest.param(
            {"default": [100, 200], "a": [100, 200]},
            "The schedulers are equal in unscheduled pods, makespan, mean waiting time and failed pods.",
            id="equal",
        ),
        pytest.param(
            {"default": [100, 200, 300]}, "default finishes in 200.0 ± 248.4 s.", id="a single scheduler is described"
        ),
    ],
)
def test_the_first_sentence_is_about_the_makespan(
    tmp_path: Path, makespans: Mapping[str, Seconds], sentence: str
) -> None:
    assert verdict_of(tmp_path / "out", makespans).sentences[0] == sentence


def test_services_of_a_single_scheduler_are_told_by_their_response_times(tmp_path: Path) -> None:
    out = write_results(tmp_path / "out", Recipe(schedulers=("default",), seeds=(1,), pods=5))
    head = [*SUMMARY_COLUMNS, "p99_response_time_s"]
    write_csv(out / "summary.csv", head, [["default", 1, 5, 5, 0, 0, 0, 0, "", *[0] * 3, "", 0.5, 0.5, 3, 20.3]])
    assert experiment_verdict(ResultsFolder(out)).sentences == [
        "With default, 99 % of the requests are answered within 20.30 s."
    ]


def test_a_scheduler_that_leaves_pods_is_not_praised_for_its_speed(tmp_path: Path) -> None:
    verdict = verdict_of(tmp_path / "out", {"default": [100, 200, 300], "a": [60, 160.2, 260]}, unscheduled={"a": 2})
    assert verdict.sentences[:2] == [
        "default leaves 2 fewer pods unscheduled than a (the same under all 3 seeds).",
        "a finishes 20 % sooner than default, but leaves 2 more pods unscheduled (significant, 3 seeds).",
    ]


def test_of_one_seed_no_significance_is_told(tmp_path: Path) -> None:
    verdict = verdict_of(tmp_path / "out", {"default": [100], "a": [90]})
    assert verdict.sentences[-1] == ONE_SEED
    assert {finding.significant for finding in verdict.findings} == {None}


def test_a_finding_names_what_it_compares(tmp_path: Path) -> None:
    finding = verdict_of(tmp_path / "out", {"default": [100, 200, 300], "a": [78, 178, 278.2]}).findings[0]
    assert (finding.metric, finding.best, finding.other, finding.significant) == ("makespan_s", "a", "default", True)


def test_the_group_that_waits_longest_is_told(tmp_path: Path) -> None:
    names = {pod: f"large-{pod}" for pod in range(150, 200)}
    out = write_results(tmp_path / "out", Recipe(schedulers=("default",), load=3, pod_names=names))
    sentence = experiment_verdict(ResultsFolder(out)).sentences[-1]
    assert sentence.startswith("Pods of large wait longest: ")
    assert sentence.endswith(" (significant, 5 seeds).")


def test_no_group_is_told_if_pods_wait_alike(tmp_path: Path) -> None:
    names = {pod: f"large-{pod}" for pod in range(0, 200, 7)}
    out = write_results(tmp_path / "out", Recipe(schedulers=("default",), pod_names=names))
    assert not any("wait longest" in sentence for sentence in experiment_verdict(ResultsFolder(out)).sentences)


@pytest.mark.parametrize(
    ("name", "group"),
    [
        ("web-12", "web"),
        ("train-3-0", "train"),
        ("front-end-7d4f8b9c6d-x2v9z", "front-end"),
        ("web-cache", "web-cache"),
        ("12", "12"),
        ("coredns", "coredns"),
    ],
)
def test_a_pod_belongs_to_what_its_name_begins_with(name: str, group: str) -> None:
    assert group_of(name) == group
