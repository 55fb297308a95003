"""Whatever is asked, the API answers: no exception, no 500 but the real server's own, and bodies that can be read."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.apiserver.fuzz.corpus import conversations
from tests.apiserver.fuzz.mutations import spoiled
from wavetank.apiserver.api import Api
from wavetank.apiserver.requests.request import Request, Response
from wavetank.apiserver.verbs.watching import WatchStream
from wavetank.cluster.store.store import Store
from wavetank.kernel.clock import Clock

EXAMPLES = int(os.environ.get("WAVETANK_FUZZ_EXAMPLES", "150"))
LONGEST = 12  # requests of one conversation

# What the real server answers with 500, though the client is to blame.
UPSTREAM = re.compile(
    r"resourceVersion should not be set on objects to be created"
    r"|invalid resource version|strconv\.ParseUint|resourceVersion: Invalid value"
    r"|target\.\w+: (Required|Unsupported) value"
    r"|does not contain declared merge key|contains an unrecognized patch type|setElementOrder|patch type|merging list"
    r"|list element types are not identical"
    r"|unable to find api field in struct|expected a \[\]interface"
    r"|failed to create typed patch object|failed to convert new object|apply patch"
    r"|request to convert CR from an invalid group/version|the spec replicas field|accessor error"
    r"|no preferred addresses found"
    r"|This pod has more than one PodDisruptionBudget"
    r"|etcdserver: request is too large|rpc error: code = ResourceExhausted"
)


@settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize="WAVETANK_FUZZ_EXAMPLES" not in os.environ,
    suppress_health_check=list(HealthCheck),
)
@given(st.data())
def test_every_request_is_answered(data: st.DataObject) -> None:
    api = Api(Store(Clock(), history=1000))
    scripts = conversations()
    script = scripts[data.draw(st.integers(0, len(scripts) - 1))]
    start = data.draw(st.integers(0, max(0, len(script) - 1)))
    chosen = script[:1] + script[max(1, start - LONGEST) : start + 1]
    streams = [stream for request in chosen for stream in converse(api, data, request)]
    for stream in streams:
        for line in stream.take().splitlines():
            assert msgspec.json.decode(line)["type"] in ("ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR")
        stream.close()


def converse(api: Api, data: st.DataObject, request: Request) -> list[WatchStream]:
    """Sends a request, perhaps spoiled before or afterwards; returns the watches that it opened."""
    requests = [request]
    if data.draw(st.integers(0, 2)) == 0:
        requests = [spoiled(data.draw, request), *requests[: data.draw(st.integers(0, 1))]]
    return [stream for each in requests if (stream := ask(api, each)) is not None]


def ask(api: Api, request: Request) -> WatchStream | None:
    with a_servers_stack():
        answer = api.handle(request)
    if isinstance(answer, WatchStream):
        return answer
    check(request, answer)
    return None


@contextmanager
def a_servers_stack() -> Iterator[None]:
    """Allows as much recursion as there is in a server: Hypothesis allows itself more."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(_depth() + 950)
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


def _depth() -> int:
    """Returns the number of frames on the stack; inspect.stack would read the source of each."""
    frame, depth = sys._getframe(), 0
    while frame.f_back is not None:
        frame, depth = frame.f_back, depth + 1
    return depth


def check(request: Request, response: Response) -> None:
    kind = dict(response.headers).get("content-type", "")
    document = read(kind, response.body)
    if response.status >= 400 and isinstance(document, dict):
        assert document["kind"] == "Status", request
        assert document["code"] == response.status, request
    if response.status >= 500 and response.status != 504:
        message = document["message"] if isinstance(document, dict) else response.body.decode()
        assert UPSTREAM.search(message), (request, message)


def read(kind: str, body: bytes) -> object:
    if kind.startswith("application/json"):
        return msgspec.json.decode(body)
    return yaml.load(body, Loader=yaml.CSafeLoader) if kind.startswith("application/yaml") else None
