"""`wavetank quotas`: an experiment before and after a change of quotas."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from tests.results.queues.test_queue_tables import experiment
from wavetank.cli.commands.quotas import command
from wavetank.errors import InputError
from wavetank.experiments.document.experiment import parse_experiment
from wavetank.experiments.quotachange import QuotaChange, change_quotas


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("a.cpu=12", "a: cpu 8 → 12", id="an amount"),
        pytest.param("a.cpu=+500m", "a: cpu 8 → 8500m", id="more"),
        pytest.param("a.cpu=-2", "a: cpu 8 → 6", id="less"),
        pytest.param("a/x.cpu=1", "a: cpu 8 → 1", id="in a flavor"),
        pytest.param("b.cpu.borrowingLimit=4", "b: cpu borrowingLimit none → 4", id="a limit"),
        pytest.param("b.cpu.lendingLimit=none", "b: cpu lendingLimit none → none", id="no limit"),
    ],
)
def test_a_change_is_applied_to_its_queue(text: str, said: str, tmp_path: Path) -> None:
    read = parse_experiment(experiment(tmp_path), tmp_path)
    changed, lines = change_quotas(read, [QuotaChange.parse(text)])
    assert lines == [said]
    assert read.cluster.manifests != changed.cluster.manifests or "none → none" in said


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("a.cpu", "is not a change of a quota", id="no amount"),
        pytest.param("c.cpu=1", "no ClusterQueue 'c': expected one of a, b", id="no such queue"),
        pytest.param("a.gpu=1", "no quota of 'gpu' in ClusterQueue a", id="no such resource"),
        pytest.param("a/y.cpu=1", "no quota of 'cpu' in flavor y of ClusterQueue a", id="no such flavor"),
        pytest.param("a.cpu=-9", "a quota cannot be negative", id="below 0"),
        pytest.param("a.cpu=many", "many", id="no quantity"),
        pytest.param("a.cpu=none", "cannot be none", id="no quota"),
    ],
)
def test_a_change_that_is_wrong_is_refused(text: str, message: str, tmp_path: Path) -> None:
    read = parse_experiment(experiment(tmp_path), tmp_path)
    with pytest.raises(InputError, match=message):
        change_quotas(read, [QuotaChange.parse(text)])


def test_the_command_prints_each_queue_before_and_after(tmp_path: Path) -> None:
    file = tmp_path / "e.yaml"
    file.write_text(yaml.safe_dump(experiment(tmp_path)), encoding="utf-8")
    done = CliRunner().invoke(command, [str(file), "b.cpu=16", "-o", str(tmp_path / "out"), "--jobs", "1"])
    assert done.exit_code == 0, done.output
    assert "b: cpu 8 → 16" in done.output
    assert (tmp_path / "out/before/report.html").is_file()
    assert (tmp_path / "out/after/default/seed-1/queues.csv").is_file()
