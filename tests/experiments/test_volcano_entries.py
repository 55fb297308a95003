"""Volcano as an entry under `schedulers`."""

from __future__ import annotations

import pytest

from tests.experiments.trials import parsed, ran, rows_of
from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND
from wavetank.scheduling.volcano.defects import DEFECTS

CONF = 'actions: "allocate"\ntiers: [{plugins: [{name: gang}, {name: predicates}]}]\n'


def entry(folder, **volcano):
    ((scheduler,),) = [
        each.schedulers for each in parsed(folder, schedulers=[{"name": "vc", "volcano": volcano}]).schedulers
    ]
    return scheduler


def test_without_anything_it_is_the_compiled_in_configuration(tmp_path):
    scheduler = entry(tmp_path)
    assert scheduler.conf.actions == ("enqueue", "allocate", "backfill")
    assert (scheduler.period, scheduler.without, scheduler.scheduler_names) == (SECOND, frozenset(), ("volcano",))


def test_a_configuration_is_a_file_beside_the_document_or_its_text(tmp_path):
    (tmp_path / "vc.conf").write_text(CONF)
    assert entry(tmp_path, conf="vc.conf").conf == entry(tmp_path, conf=CONF).conf


def test_all_defects_are_gone_when_it_is_not_strict(tmp_path):
    assert entry(tmp_path, strict=False).without == frozenset(DEFECTS)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        pytest.param({"conf": "nowhere.conf"}, "nowhere.conf: no such file", id="file"),
        pytest.param(
            {"conf": CONF.replace("gang", "gong")}, "failed to get plugin 'gong' (did you mean ga", id="plugin"
        ),
        pytest.param({"conf": CONF.replace("allocate", "alocate")}, "failed to find Action 'alocate'", id="action"),
        pytest.param({"period": 0}, "volcano.period: sessions need some time between them", id="period"),
        pytest.param({"period": "-1s"}, "volcano.period: a duration cannot be negative", id="negative period"),
        pytest.param({"without": ["nothing"]}, "volcano.without: there is no defect called 'nothing'", id="defect"),
        pytest.param({"strict": False, "without": ["empty-answer-no-veto"]}, "volcano.strict: expected", id="both"),
        pytest.param({"config": "x"}, "unknown field 'config' (did you mean conf?)", id="field"),
    ],
)
def test_what_is_wrong_is_named(given, message, tmp_path):
    with pytest.raises(InputError) as raised:
        entry(tmp_path, **given)
    assert message in str(raised.value)


def test_an_experiment_runs_with_it(tmp_path):
    out = ran(tmp_path / "out", schedulers=[{"name": "vc", "volcano": {"period": 2}}])
    rows = rows_of(out / "vc" / "seed-1" / "pods.csv")
    assert [row["scheduled"] for row in rows] == ["0", "0", "0"]
    assert {row["node"] for row in rows} == {"node-0", "node-1"}


def test_the_same_seed_gives_the_same_bytes(tmp_path):
    first, second = (ran(tmp_path / name, schedulers=[{"name": "vc", "volcano": {}}], seeds=[3]) for name in "ab")
    assert (first / "vc/seed-3/pods.csv").read_bytes() == (second / "vc/seed-3/pods.csv").read_bytes()
