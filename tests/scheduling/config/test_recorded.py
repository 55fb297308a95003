from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest

from scheduling.config.documents import a_document
from wavetank.scheduling.config import parse_configuration

SHARED = Path(os.environ.get("WAVETANK_SHARED", Path(__file__).parents[4] / "shared"))


@pytest.mark.parametrize("folder", ["golden", "timelines"])
def test_every_configuration_that_the_real_scheduler_ran_with_parses(folder):
    files = sorted((SHARED / "data" / folder).glob("*.json.gz"))
    if not files:
        pytest.skip(f"no recordings in {SHARED / 'data' / folder}: set WAVETANK_SHARED to the folder that has data/")
    for file in files:
        recording = json.loads(gzip.decompress(file.read_bytes()))
        release = recording["kube_scheduler"].removeprefix("v").split(".")
        parsed = parse_configuration(a_document(**recording["config"]), (int(release[0]), int(release[1])))
        assert parsed.parallelism == recording["config"]["parallelism"], file.name
