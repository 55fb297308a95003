from __future__ import annotations

import gzip
import json

import pytest

from tests.scheduling.config.documents import a_document
from tests.support.paths import DATA, absent
from wavetank.scheduling.config import parse_configuration


@pytest.mark.parametrize("folder", ["golden", "timelines"])
def test_every_configuration_that_the_real_scheduler_ran_with_parses(folder):
    files = sorted((DATA / folder).glob("*.json.gz"))
    if not files:
        pytest.skip(absent(DATA / folder))
    for file in files:
        recording = json.loads(gzip.decompress(file.read_bytes()))
        release = recording["kube_scheduler"].removeprefix("v").split(".")
        parsed = parse_configuration(a_document(**recording["config"]), (int(release[0]), int(release[1])))
        assert parsed.parallelism == recording["config"]["parallelism"], file.name
