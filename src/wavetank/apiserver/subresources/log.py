from __future__ import annotations

from dataclasses import dataclass

from wavetank.apiserver import errors
from wavetank.apiserver.fielderrors import FieldError, forbidden, invalid
from wavetank.apiserver.kinds import Kind
from wavetank.apiserver.requests.request import Request, Response
from wavetank.apiserver.requests.responses import PRIVATE
from wavetank.apiserver.subresources.containers import choose_container
from wavetank.apiserver.subresources.logstream import Line, LogFollowers, LogStream
from wavetank.apiserver.verbs.objects import KubeletReports, Objects
from wavetank.apiserver.verbs.options import integer
from wavetank.cel.gotext import quote
from wavetank.cluster.objects.groupkinds import NODE
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.resource import EPOCH_SECONDS, parse_time
from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND, Nanoseconds


@dataclass(frozen=True, slots=True)
class LogOptions:
    """Which lines of a log are wanted; `since` is a virtual time."""

    container: str
    previous: bool
    timestamps: bool
    tail: int | None
    limit_bytes: int | None
    since_s: int | None
    since: Nanoseconds | None

    @classmethod
    def read(cls, request: Request, pod: str) -> LogOptions:
        """Reads and checks the query; 400 and 422 as the real server gives them."""
        try:
            since = parse_time(request.param("sinceTime") or None, "sinceTime")
        except InputError:
            text, form = quote(request.param("sinceTime")), '"2006-01-02T15:04:05Z07:00"'
            raise errors.bad_request(f'parsing time {text} as {form}: cannot parse {text} as "2006"') from None
        options = cls(
            container=request.param("container"),
            previous=request.flag("previous"),
            timestamps=request.flag("timestamps"),
            tail=integer(request.param("tailLines")),
            limit_bytes=integer(request.param("limitBytes")),
            since_s=integer(request.param("sinceSeconds")),
            since=since,
        )
        mistakes = options._mistakes()
        if request.has("stream"):  # a feature that is off in the release
            mistakes.append(forbidden("stream", "may not be specified"))
        if mistakes:
            raise errors.invalid("PodLogOptions", pod, mistakes)
        return options

    def _mistakes(self) -> list[FieldError]:
        found = []
        if self.tail is not None and self.tail < 0:
            found.append(invalid("tailLines", self.tail, "must be greater than or equal to 0"))
        if self.limit_bytes is not None and self.limit_bytes < 1:
            found.append(invalid("limitBytes", self.limit_bytes, "must be greater than 0"))
        if self.since_s is not None and self.since is not None:
            found.append(forbidden("[]", "at most one of `sinceTime` or `sinceSeconds` may be specified"))
        elif self.since_s is not None and self.since_s < 1:
            found.append(invalid("sinceSeconds", self.since_s, "must be greater than 0"))
        return found


class Logs:
    """Serves the logs of simulated containers."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects
        self._followers: LogFollowers | None = None

    def read(self, pods: Kind, namespace: str, name: str, request: Request) -> Response | LogStream:
        """Returns a log, or a stream of it; 204 if the pod has no node yet."""
        options, objects = LogOptions.read(request, name), self._objects
        pod = objects.get(pods, namespace, name)
        assert isinstance(pod, Pod)
        container = choose_container(objects.render(pod), options.container)
        if not pod.node_name:
            return Response(204, [])
        if objects.store.find(NODE, "", pod.node_name) is None:
            raise errors.not_found("pods", pod.node_name)  # the real server's words
        if objects.reports is None:
            raise errors.plain("no preferred addresses found; known addresses: []")
        lines = objects.reports.log(pod, container, options.previous)
        if not lines:
            raise errors.bad_request(_why_empty(container, name, options.previous))
        if request.flag("follow") and not options.previous and not pod.finished:
            return self._follow(pod, container, options, objects.reports)
        return Response(200, [("content-type", "text/plain"), PRIVATE], self._text(lines, options))

    def _follow(self, pod: Pod, container: str, options: LogOptions, reports: KubeletReports) -> LogStream:
        if self._followers is None:
            self._followers = LogFollowers(self._objects.store)
        stream = LogStream(pod, container, reports, lambda lines: self._text(lines, options))
        self._followers.add(pod, stream)
        return stream

    def _text(self, lines: list[Line], options: LogOptions) -> bytes:
        return _text(_chosen(lines, options, self._objects.store.clock.now), options)


def _why_empty(container: str, pod: str, previous: bool) -> str:
    if previous:
        return f"previous terminated container {quote(container)} in pod {quote(pod)} not found"
    return f"container {quote(container)} in pod {quote(pod)} is waiting to start: ContainerCreating"


def _chosen(lines: list[Line], options: LogOptions, now: Nanoseconds) -> list[Line]:
    since = options.since if options.since_s is None else now - options.since_s * SECOND
    if since is not None:
        lines = [line for line in lines if line[0] >= since]
    if options.tail is not None:
        lines = lines[-options.tail :] if options.tail else []
    return lines


def _text(lines: list[Line], options: LogOptions) -> bytes:
    written = (f"{_stamp(time)} {text}\n" if options.timestamps else f"{text}\n" for time, text in lines)
    return "".join(written).encode()[: options.limit_bytes]


def _stamp(time: Nanoseconds) -> str:
    from datetime import UTC, datetime

    seconds, nanoseconds = divmod(time, SECOND)
    moment = datetime.fromtimestamp(EPOCH_SECONDS + seconds, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{nanoseconds:09d}Z"
