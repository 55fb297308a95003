"""Which Events are written: client-go's rules for repeated, similar and too frequent Events."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple, TypeVar

from wavetank.kernel.durations import SECOND, Nanoseconds

_SIMILAR = 10  # Events of one reason about one object, after which they are combined
_FORGOTTEN = 600 * SECOND  # without a similar one
_BURST, _REFILL = 25, 300 * SECOND  # Events of one type and source about one object, and the time until one more
_AUTOSCALER, _STATUS = "cluster-autoscaler", "cluster-autoscaler-status"
_MOST = 4096  # entries that are kept of each
_COMBINED = "(combined from similar events): "

Event = dict[str, Any]
Key = tuple[str, ...]
Part = tuple[str, str, str]  # the reason, message and field of an Event
T = TypeVar("T")


@dataclass
class _Similar:
    messages: dict[str, None] = field(default_factory=dict)
    last: Nanoseconds = -_FORGOTTEN - 1

    def is_one_of_many(self, message: str) -> bool:
        """Adds a message; tells whether there are too many that differ, of which the oldest is forgotten then."""
        self.messages[message] = None
        if len(self.messages) < _SIMILAR:
            return False
        del self.messages[next(iter(self.messages))]
        return True


@dataclass
class _Bucket:
    credit: Nanoseconds  # of which an Event costs as much as another one takes to come; whole, so that nothing is lost
    filled: Nanoseconds


class Observed(NamedTuple):
    """How often an Event has occurred, whether or not it was written, and when first."""

    times: int
    first: Nanoseconds


class Correlator:
    """Combines, counts and limits Events before they are written."""

    def __init__(self) -> None:
        self._observed: OrderedDict[Key, Observed] = OrderedDict()
        self._similar: OrderedDict[Key, _Similar] = OrderedDict()
        self._buckets: OrderedDict[Key, _Bucket] = OrderedDict()

    def combine(self, event: Event, now: Nanoseconds) -> Key:
        """Returns the key of an Event, equal for repeated ones; one of too many similar Events is changed to say so."""
        key, message = (*_source(event), event["type"], event["reason"]), event["message"]
        if self._is_one_of_many(key, message, now):
            event["message"] = f"{_COMBINED}{message}"
            return key
        return (*key, message, event["involvedObject"].get("fieldPath", ""))

    def _is_one_of_many(self, key: Key, message: str, now: Nanoseconds) -> bool:
        return self._similar_to(key, now).is_one_of_many(message)

    def _similar_to(self, key: Key, now: Nanoseconds) -> _Similar:
        similar = self._similar.get(key) or _Similar()
        if now - similar.last > _FORGOTTEN:
            similar = _Similar()
        similar.last = now
        _keep(self._similar, key, similar)
        return similar

    def pass_over(self, event: Event, others: Iterable[Part], now: Nanoseconds) -> None:
        """Counts more Events about the same object, of the same type and source, which are all beyond the limit."""
        source = (*_source(event), event["type"])
        for reason, parts in groupby(others, itemgetter(0)):  # an object may have thousands of parts
            self._pass_over((*source, reason), parts, now)

    def _pass_over(self, key: Key, parts: Iterable[Part], now: Nanoseconds) -> None:
        similar, times = self._similar_to(key, now), 0
        for _, message, field_path in parts:
            if similar.is_one_of_many(message):
                times += 1
            else:
                self.observe(key, now, times)
                self.observe((*key, message, field_path), now)
                times = 0
        self.observe(key, now, times)

    def observe(self, key: Key, now: Nanoseconds, times: int = 1) -> Observed:
        """Counts an Event by its key; those that are not written because of the limit count, too."""
        last = self._observed.get(key) or Observed(0, now)
        observed = Observed(last.times + times, last.first)
        if times:
            _keep(self._observed, key, observed)
        return observed

    def within_limit(self, event: Event, now: Nanoseconds) -> bool:
        """Takes an Event from the limit of its source for that object; False if the limit is reached."""
        key, burst = _limit(event)
        bucket = self._buckets.get(key) or _Bucket(burst * _REFILL, now)
        bucket.credit = min(burst * _REFILL, bucket.credit + now - bucket.filled)
        bucket.filled = now
        _keep(self._buckets, key, bucket)
        if bucket.credit < _REFILL:
            return False
        bucket.credit -= _REFILL
        return True


def _limit(event: Event) -> tuple[Key, int]:
    """Returns which Events share a limit with this one, and the limit.

    cluster-autoscaler sends one Event of a reason about an object at a time, or one of a message about its status.
    """
    if event["source"]["component"] != _AUTOSCALER:
        return (*_source(event), event["type"]), _BURST
    about = event["involvedObject"]
    if (about.get("kind"), about.get("name")) == ("ConfigMap", _STATUS):
        return (event["message"],), 1
    return (event["reason"], *_source(event)), 1


def _source(event: Event) -> Key:
    about, source = event["involvedObject"], event["source"]
    named = (str(about.get(each, "")) for each in ("kind", "namespace", "name", "uid", "apiVersion"))
    return (source["component"], source.get("host", ""), *named)


def _keep(kept: OrderedDict[Key, T], key: Key, value: T) -> None:
    kept[key] = value
    kept.move_to_end(key)
    if len(kept) > _MOST:
        kept.popitem(last=False)
