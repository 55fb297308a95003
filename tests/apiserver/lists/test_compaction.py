"""Lists that continue at a version which is compacted."""

from __future__ import annotations

from tests.apiserver.inprocess import MAPS, Caller
from wavetank.cluster.context import ActorContext
from wavetank.cluster.releases import SERVED
from wavetank.kernel.durations import SECOND
from wavetank.kernel.randomness import Streams
from wavetank.simulation.served.compaction import INTERVAL_S, Compaction


def test_a_list_goes_on_inconsistently_after_compaction() -> None:
    caller = Caller()
    for name in "abc":
        caller.create(MAPS, {"metadata": {"name": name}})
    first = caller.get(f"{MAPS}?limit=1").body["metadata"]
    caller.create(MAPS, {"metadata": {"name": "d"}})
    caller.store.compact(caller.store.version)
    refused = caller.get(f"{MAPS}?limit=1&continue={first['continue']}")
    assert (refused.status, refused.body["reason"]) == (410, "Expired")
    rest = caller.get(f"{MAPS}?continue={refused.body['metadata']['continue']}")
    assert rest.names == ["b", "c", "d"]
    assert rest.version != first["resourceVersion"]


def test_a_watch_resumes_from_a_compacted_version() -> None:
    caller = Caller()
    version = caller.get(MAPS).version
    caller.create(MAPS, {"metadata": {"name": "a"}})
    caller.store.compact(caller.store.version)
    assert caller.watch(f"{MAPS}?watch=1&resourceVersion={version}").told() == [("ADDED", "a")]


def test_versions_are_kept_for_five_minutes_of_both_clocks() -> None:
    now, caller = [0.0], Caller()
    Compaction(ActorContext(caller.store, Streams(1), SERVED.version), lambda: now[0])
    caller.create(MAPS, {"metadata": {"name": "a"}})
    version = caller.store.version
    caller.create(MAPS, {"metadata": {"name": "b"}})
    at = f"{MAPS}?resourceVersion={version - 1}&resourceVersionMatch=Exact"
    caller.clock.run(3 * INTERVAL_S * SECOND)
    assert caller.get(at).status == 200  # a fast clock alone does not compact
    for minutes in (5, 10):
        now[0] = minutes * 60.0
        caller.clock.run(caller.clock.now + INTERVAL_S * SECOND)
    assert caller.get(at).status == 410
