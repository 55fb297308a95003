"""Recorded sessions of the real Volcano scheduler; WAVETANK_ALL=1 replays all of them instead of one of a family."""

from __future__ import annotations

import os
from random import Random

import pytest

from tests.support.paths import DATA, needs_shared
from wavetank.cluster.manifests import read_text
from wavetank.cluster.objects.resource import parse_time
from wavetank.scheduling.framework.listers import Listers
from wavetank.scheduling.volcano.config.conf import parse_conf
from wavetank.scheduling.volcano.plugins import plugin_makers
from wavetank.scheduling.volcano.plugins.kubeplugins import KubePlugins
from wavetank.scheduling.volcano.running import run_session
from wavetank.scheduling.volcano.session.session import Session
from wavetank.scheduling.volcano.session.ties import ByName
from wavetank.verification import find_recordings, verify
from wavetank.verification.volcano import parse_scenario, replay_sessions
from wavetank.verification.volcano.aspects import Replayed, is_recorded
from wavetank.verification.volcano.replay import replay_session
from wavetank.verification.volcano.scenarioobjects import ScenarioObjects
from wavetank.verification.volcano.trace import Trace

SESSIONS = DATA / "volcano"
FAMILIES = sorted({path.name.rpartition("-")[0] for path in SESSIONS.glob("*.json.gz")}) or ["none"]

pytestmark = needs_shared(SESSIONS)


def chosen(family):
    files = find_recordings(SESSIONS, family)
    return files if os.environ.get("WAVETANK_ALL") else files[:1]


@pytest.mark.parametrize("family", FAMILIES)
def test_every_session_comes_to_the_same_step_by_step(family):
    verification = verify(chosen(family), 1)
    assert verification.mismatches == []
    assert verification.sessions[family].aspects["groups"].compared > 0


def test_a_changed_record_is_found_and_named():
    file = find_recordings(SESSIONS, "tiny")[0]
    scenario = parse_scenario(read_text(file), file)
    record = scenario.sessions[0]
    record.result.binds.append(["default/nobody", "nowhere"])
    _, mismatches = replay_sessions(scenario, file.name)
    assert [(mismatch.step, mismatch.aspect) for mismatch in mismatches] == [(record.index, "binds")]


def catch_up(cache, now):
    """Tells a cache of everything that is otherwise in another one, as the store would."""
    for node in now.table.nodes:
        if node.name not in cache.table.slots:
            cache.set_node(node)
    for queue in now.queues.values():
        cache.set_queue(queue.queue)
    for job in now.jobs():
        cache.set_group(job.group)
    for key in cache.tasks.keys() - now.tasks.keys():
        cache.remove_pod(cache.tasks[key].pod)
    for task in now.tasks.values():
        cache.set_pod(task.pod)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_scheduler_that_remembers_decides_like_one_that_is_told_everything_anew(family):
    """Also without an observer, when what has just failed is not tried again."""
    for file in chosen(family):
        scenario = parse_scenario(read_text(file), file)
        objects, plugins = ScenarioObjects(scenario), plugin_makers(KubePlugins(Listers()))
        cache = objects.before(scenario.sessions[0])
        for record in scenario.sessions:
            catch_up(cache, objects.before(record))
            now = parse_time(record.time, "time")
            session = Session(cache, parse_conf(scenario.conf), plugins, now=now, start=0, ties=ByName())
            assert is_recorded(record, Replayed(run_session(session), Trace()))


@pytest.mark.parametrize("family", FAMILIES)
def test_the_order_of_gos_maps_does_not_matter_where_it_did_not_matter_to_the_real_one(family):
    for file in chosen(family):
        scenario = parse_scenario(read_text(file), file)
        objects, conf = ScenarioObjects(scenario), parse_conf(scenario.conf)
        for record in scenario.sessions:
            if record.runs.same_outcome:
                assert is_recorded(record, replay_session(objects, conf, record, Random(record.index)))
