"""A client of the External Scheduler Interface, for schedulers that are written in Python."""

from __future__ import annotations

import http.client
import ssl
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any, Literal, TypeVar
from urllib.parse import quote, urlsplit

import msgspec

from wavetank.batchoperator.esi.external import (
    ExternalBatchJob,
    ExternalError,
    ExternalResource,
    ExternalScheduling,
    ExternalSlotBased,
    ExternalSlotJob,
    ExternalTestbed,
    StoredData,
)
from wavetank.errors import WavetankError

T = TypeVar("T")
Kind = Literal["testbeds", "jobs", "schedulings"]

_TYPES: dict[str, Any] = {"testbeds": ExternalTestbed, "jobs": ExternalBatchJob, "schedulings": ExternalScheduling}
_SILENCE_S = 180.0  # a stream has at least a comment every minute


class ExternalSchedulerError(WavetankError):
    """A refused request: its HTTP `status`, and the `field` of the body that is wrong."""

    def __init__(self, status: int, message: str, field: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.field = field


class ExternalEvent(msgspec.Struct, frozen=True):
    """An event of a stream: ADDED, MODIFIED or DELETED; a BOOKMARK after the present resources has nothing else."""

    action: str
    topic: str = ""
    name: str = ""
    resource: Any = None


class ExternalSchedulerClient:
    """Queries and controls a batch operator through its REST interface and stream.

    `url` is where the operator serves the interface: http://127.0.0.1:8082. A refused request is an
    ExternalSchedulerError, a server that cannot be reached an OSError.
    """

    def __init__(
        self, url: str, token: str | None = None, *, timeout_s: float = 30.0, tls: ssl.SSLContext | None = None
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"expected a URL such as http://127.0.0.1:8082, not {url!r}")
        self._address = parts.hostname, parts.port or (443 if parts.scheme == "https" else 80)
        self._tls = (tls or ssl.create_default_context()) if parts.scheme == "https" else None
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._timeout_s = timeout_s

    def testbeds(self) -> list[ExternalTestbed]:
        """Returns all testbeds."""
        return self._read("/external/testbeds", list[ExternalTestbed])

    def testbed(self, name: str) -> ExternalTestbed:
        """Returns a testbed."""
        return self._read(f"/external/testbeds/{quote(name)}", ExternalTestbed)

    def jobs(self) -> dict[str, ExternalBatchJob]:
        """Returns all jobs by name."""
        return self._read("/external/jobs", dict[str, ExternalBatchJob])

    def job(self, name: str) -> ExternalBatchJob:
        """Returns a job."""
        return self._read(f"/external/jobs/{quote(name)}", ExternalBatchJob)

    def store(self, job: str, data: StoredData) -> ExternalBatchJob:
        """Stores data with a job, in place of what was stored before."""
        body = ExternalBatchJob(job, external_scheduler=data)
        return msgspec.json.decode(self._request("PUT", "/external/jobs", body), type=ExternalBatchJob)

    def schedulings(self) -> list[ExternalScheduling]:
        """Returns all schedulings."""
        return self._read("/external/schedulings", list[ExternalScheduling])

    def scheduling(self, name: str) -> ExternalScheduling:
        """Returns a scheduling."""
        return self._read(f"/external/schedulings/{quote(name)}", ExternalScheduling)

    def queue(self, name: str, testbed: str, jobs: Sequence[str]) -> ExternalScheduling:
        """Runs a queue of jobs on a testbed; again with more jobs extends it. A repeated job gets more executors."""
        return self._schedule(ExternalScheduling(name, testbed, queue=list(jobs)))

    def assign(
        self,
        name: str,
        testbed: str,
        slots: Mapping[str, Sequence[int]],
        mode: Literal["strict", "relaxed"] = "strict",
    ) -> ExternalScheduling:
        """Runs jobs on fixed slots of a testbed, one executor in each."""
        jobs = [ExternalSlotJob(job, list(ids)) for job, ids in slots.items()]
        return self._schedule(ExternalScheduling(name, testbed, slots=ExternalSlotBased(jobs, mode)))

    def delete(self, name: str) -> ExternalScheduling | None:
        """Deletes a scheduling, which releases its jobs; returns it as it was, None if there was none."""
        answer = self._request("DELETE", f"/external/schedulings/{quote(name)}")
        return msgspec.json.decode(answer, type=ExternalScheduling) if answer else None

    def events(self, *kinds: Kind) -> Iterator[ExternalEvent]:
        """Yields the present resources of some kinds, or of all, then a BOOKMARK, then every change."""
        path = "/external/stream" + (f"?topic={','.join(kinds)}" if kinds else "")
        with closing(self._open(_SILENCE_S)) as connection:
            connection.request("GET", path, headers=self._headers)
            answer = connection.getresponse()
            _check(answer, answer.read() if answer.status != 200 else b"")
            for line in answer:
                if line.startswith(b"data:"):
                    yield _event(line.removeprefix(b"data:"))

    def wait(self, kind: Kind, name: str, until: Callable[[Any], bool]) -> Any:
        """Returns a resource as soon as `until` is true of it; ExternalSchedulerError (404) if it is deleted before.

        A resource that does not exist yet is waited for. If the stream ends, another one is opened.
        """
        known = False
        while True:
            present = False
            for event in self.events(kind):
                gone = event.action == "DELETED" and event.name == name
                if gone or (event.action == "BOOKMARK" and known and not present):
                    raise ExternalSchedulerError(404, f"{name} was deleted")
                if event.name == name:
                    known = present = True
                    if until(event.resource):
                        return event.resource

    def _schedule(self, scheduling: ExternalScheduling) -> ExternalScheduling:
        answer = self._request("POST", "/external/schedulings", scheduling)
        return msgspec.json.decode(answer, type=ExternalScheduling)

    def _read(self, path: str, expected: type[T]) -> T:
        return msgspec.json.decode(self._request("GET", path), type=expected)

    def _request(self, method: str, path: str, body: ExternalResource | None = None) -> bytes:
        data = None if body is None else msgspec.json.encode(body)
        with closing(self._open(self._timeout_s)) as connection:
            connection.request(method, path, data, {"Content-Type": "application/json", **self._headers})
            answer = connection.getresponse()
            content = answer.read()
        _check(answer, content)
        return content

    def _open(self, timeout_s: float) -> http.client.HTTPConnection:
        if self._tls is None:
            return http.client.HTTPConnection(*self._address, timeout=timeout_s)
        return http.client.HTTPSConnection(*self._address, timeout=timeout_s, context=self._tls)


def _check(answer: http.client.HTTPResponse, content: bytes) -> None:
    if answer.status in (200, 304):
        return
    try:
        error = msgspec.json.decode(content, type=ExternalError)
    except msgspec.DecodeError:
        raise ExternalSchedulerError(answer.status, f"the server answered {answer.status}") from None
    raise ExternalSchedulerError(answer.status, error.message, error.field)


def _event(data: bytes) -> ExternalEvent:
    event = msgspec.json.decode(data, type=ExternalEvent)
    if event.resource is None:
        return event
    return msgspec.structs.replace(event, resource=msgspec.convert(event.resource, _TYPES[event.topic]))
