"""K8sSim's own results for nodes_7-0 and wsl_test_mrp-2, met to the second.

Which of several equal tasks of a node starts first is the order of a Go map in K8sSim, another one in every run; so
equal tasks on one node are exchangeable. Everything else is compared byte by byte.
"""

import csv

import pytest

import wavetank
from tests.support.paths import SHARED, needs_shared

DATA = SHARED / "data" / "k8ssim"
NODES = DATA / "common" / "nodes" / "nodes_7-0.yaml"
WORKLOAD = DATA / "common" / "workloads" / "AI-workloads" / "wsl_test_mrp-2.yaml"

needs_data = needs_shared(DATA)


def published(algorithm, kind, name):
    (file,) = (DATA / "results" / kind).glob(f"*-{algorithm}/{name}")
    return file.read_text()


def places(text):
    """Returns the node of each task, by its name."""
    return {row["Pod_name"]: row["Running node"] for row in csv.DictReader(text.splitlines())}


def lives(text):
    """Returns all rows without the tasks' names, in any order."""
    return sorted(line.partition(",")[2] for line in text.splitlines())


@needs_data
@pytest.mark.parametrize("algorithm", ["GANG_LRP", "GANG_MRP"])
def test_an_experiment_meets_the_published_tables(algorithm, tmp_path):
    wavetank.run(
        cluster=NODES, workload=WORKLOAD, schedulers=[algorithm], execution="k8ssim", out=tmp_path / "out", jobs=1
    )
    folder = tmp_path / "out" / algorithm / "seed-1"
    tasks = (folder / "tasksSUM.csv").read_text()
    recorded = published(algorithm, "tasks", "tasksSUM.csv")
    assert tasks.splitlines()[0] == recorded.splitlines()[0]
    assert places(tasks) == places(recorded)
    assert lives(tasks) == lives(recorded)
    assert (folder / "coutJCT.csv").read_text() == published(algorithm, "jobs", "coutJCT.csv")


@needs_data
@pytest.mark.parametrize("algorithm", ["GANG_LRP", "GANG_MRP"])
def test_the_class_meets_them_too_with_k8ssims_own_configurations(algorithm, tmp_path):
    sim = wavetank.K8sSim()
    sim.reset(NODES, WORKLOAD)
    state = sim.step(DATA / "common" / "scheduler_conf_sim" / f"{algorithm}.yaml")
    assert state["done"]
    sim.write_results(tmp_path)
    tasks, recorded = (tmp_path / "tasksSUM.csv").read_text(), published(algorithm, "tasks", "tasksSUM.csv")
    assert places(tasks) == places(recorded)
    assert lives(tasks) == lives(recorded)
    assert (tmp_path / "coutJCT.csv").read_text() == published(algorithm, "jobs", "coutJCT.csv")


@needs_data
def test_our_texts_say_what_k8ssims_configurations_say():
    from wavetank.scheduling.named.volcano import VOLCANO_TEXTS
    from wavetank.scheduling.volcano.config.conf import parse_conf

    assert len(VOLCANO_TEXTS) == 13
    for name, text in VOLCANO_TEXTS.items():
        theirs = (DATA / "common" / "scheduler_conf_sim" / f"{name}.yaml").read_text()
        assert parse_conf(text) == parse_conf(theirs), name
