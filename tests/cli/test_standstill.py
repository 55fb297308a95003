"""A run whose clock stands still ends with exit status 3."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.cli.commands import Wavetank
from tests.simulation.preemptions import a_preemption
from wavetank.simulation import standstill


def test_a_preemption_without_end_ends_the_run_with_exit_status_3(
    wavetank: Wavetank, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(standstill, "MOST_REPLACEMENTS", 50)
    file = tmp_path / "e.yaml"
    head = {"apiVersion": "wavetank.dev/v1alpha1", "kind": "Experiment", "metadata": {"name": "e"}}
    file.write_text(yaml.safe_dump({**head, "spec": a_preemption(tmp_path, "1.36", replicas=2)}))
    ended = wavetank("run", file, "-o", tmp_path / "out")
    assert ended.status == 3, ended
    assert "Pod default/vip preempted StatefulSet default/web" in " ".join(ended.err.split())
    assert not (tmp_path / "out").exists()
