"""The recorded cycles of the real kube-scheduler; WAVETANK_ALL=1 replays all of them instead of a few."""

from __future__ import annotations

import os

import pytest

from tests.support.paths import DATA, needs_shared
from wavetank.verification import find_recordings, read_recording, verify
from wavetank.verification.decisions.replay import replay

GOLDEN = DATA / "golden"

NAMES = {path.name.removeprefix("v136-").rpartition("-")[0] for path in GOLDEN.glob("*.json.gz")} or {"none"}

pytestmark = needs_shared(GOLDEN)
replays_all = bool(os.environ.get("WAVETANK_ALL"))


def chosen_files(family):
    """All files of a family, or the first of each release."""
    files = find_recordings(GOLDEN, family)
    newer = [file for file in files if file.name.startswith("v136-")]
    older = [file for file in files if file not in newer]
    return files if replays_all else [*older[:1], *newer[:1]]


@pytest.mark.parametrize("family", sorted(NAMES))
def test_every_decision_is_the_real_one(family):
    for file in chosen_files(family):
        _, mismatches = replay(read_recording(file), file.name)
        assert mismatches == []


@pytest.mark.skipif(not replays_all, reason="replays over a thousand files: set WAVETANK_ALL=1")
def test_every_plugin_scores_as_the_real_one_in_all_families():
    total = verify(find_recordings(GOLDEN), most=0).total
    assert {plugin for plugin, count in total.plugins.items() if count.equal != count.compared} == set()
    assert total.aspects["order"].equal == total.aspects["order"].compared
