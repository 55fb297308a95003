"""The recorded cycles of the real kube-scheduler; WAVETANK_ALL=1 replays all of them instead of a few."""

from __future__ import annotations

import os

import pytest

from verify.recordings import SHARED
from wavetank.experiments.verify import find_recordings, read_recording, replay, verify

GOLDEN = SHARED / "data" / "golden"

# Families that only the plugins decide which wavetank has already.
FAMILIES = (
    *("balanced_default", "balanced_resources", "batching", "fit_extended", "fit_ignored", "fit_init", "fit_least"),
    *("fit_least_weights", "fit_limits", "fit_most", "fit_most_gpu", "fit_norequests", "fit_overhead", "fit_podlevel"),
    *("fit_resize", "fit_rtcr", "fit_rtcr_gpu", "fit_sidecars", "gates", "imagelocality", "nodeaff_added"),
    *("nodeaff_both", "nodeaff_matchfields", "nodeaff_preferred", "nodeaff_required", "nodename", "nodeports"),
    *("nodeselector", "queue_order", "taints_filter", "taints_prefer", "unschedulable"),
)
MISSING_ASPECTS = {"message", "preemption"}  # what the PostFilter plugins say and do
MISSING_PLUGINS = {"PodTopologySpread", "InterPodAffinity"}

pytestmark = pytest.mark.skipif(
    not GOLDEN.is_dir(), reason=f"no recordings in {GOLDEN}: set WAVETANK_SHARED to the folder that has data/"
)
replays_all = bool(os.environ.get("WAVETANK_ALL"))


def chosen_files(family):
    """All files of a family, or the first of each release."""
    files = find_recordings(GOLDEN, family)
    newer = [file for file in files if file.name.startswith("v")]
    older = [file for file in files if file not in newer]
    return files if replays_all else [*older[:1], *newer[:1]]


@pytest.mark.parametrize("family", FAMILIES)
def test_every_decision_is_the_real_one(family):
    for file in chosen_files(family):
        _, mismatches = replay(read_recording(file), file.name)
        assert [mismatch for mismatch in mismatches if mismatch.aspect not in MISSING_ASPECTS] == []


@pytest.mark.skipif(not replays_all, reason="replays over a thousand files: set WAVETANK_ALL=1")
def test_every_plugin_scores_as_the_real_one_in_all_families():
    files = [file for file in find_recordings(GOLDEN) if not file.name.startswith("extender")]
    total = verify(files, most=0).total
    differing = {plugin for plugin, count in total.plugins.items() if count.equal != count.compared}
    assert differing <= MISSING_PLUGINS
    assert total.aspects["order"].equal == total.aspects["order"].compared
