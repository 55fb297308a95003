"""Recorded scenarios of the real kube-scheduler, played by the same program in the loop, come to the recorded ends."""

from __future__ import annotations

import os
from random import Random

import pytest

from tests.loop.real.golden import LEFT_OUT, Golden
from tests.support.paths import DATA, needs_shared
from wavetank.verification import read_recording

GOLDEN = DATA / "golden"
COUNT = 200 if os.environ.get("WAVETANK_ALL") else 30


def chosen(release: str, count: int):
    """Takes some scenarios of a release, the same in every run, so that all families have their turn."""
    names = (path for path in sorted(GOLDEN.glob("*.json.gz")) if path.name.startswith("v136-") == (release == "v1.36"))
    files = [path for path in names if not path.name.removeprefix("v136-").startswith(LEFT_OUT)]
    Random(1).shuffle(files)
    return files[:count]


@needs_shared(GOLDEN)
@pytest.mark.parametrize("part", range(4))
def test_recorded_scenarios(part):
    compared, mismatches = 0, []
    for file in chosen("v1.35", COUNT)[part::4]:
        golden = Golden(read_recording(file))
        golden.play()
        compared += golden.compared
        mismatches.extend(golden.mismatches)
    assert compared > COUNT
    assert not mismatches
