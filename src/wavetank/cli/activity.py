"""What a server's terminal shows: the time of the cluster, requests, and what happens to pods."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from rich.console import Console

from wavetank.apiserver.clock.pacing import Pacing
from wavetank.apiserver.http.messagetypes import Message, Receive, Send
from wavetank.apiserver.http.server import App
from wavetank.cluster.context import ActorContext
from wavetank.cluster.objects.groupkinds import POD
from wavetank.cluster.objects.pod import ENDS, Pod
from wavetank.cluster.objects.resource import render_time
from wavetank.simulation.observer import Observer
from wavetank.words import counted

_LINE_EVERY_S = 0.5  # in a terminal, in one line that is written again
_LOG_EVERY_S = 10.0  # elsewhere
_CLEAR = "\r\x1b[2K"


class Activity(Observer):
    """Counts requests and what happens to pods, and shows it on a console.

    In a terminal that is one line, which is kept current; elsewhere a line now and then. If it is `verbose`, every
    request, binding and end of a pod is a line too. Nothing is written while nothing happens.
    """

    def __init__(self, console: Console, verbose: bool = False) -> None:
        self.requests = self.created_pods = self.bound_pods = self.ended_pods = 0
        self.verbose = verbose
        self._console = console
        self._counts = (0, 0, 0, 0)

    def join(self, context: ActorContext) -> None:
        """Watches pods."""
        self._clock = context.clock
        context.store.subscribe(POD, added=self._added, modified=self._modified)

    @property
    def interval_s(self) -> float:
        """Returns how often `show` is to be called."""
        return _LINE_EVERY_S if self._console.is_terminal else _LOG_EVERY_S

    def show(self, pacing: Pacing) -> None:
        """Writes the line again, if something has happened or the clock of a terminal's line goes on."""
        counts = (self.requests, self.created_pods, self.bound_pods, self.ended_pods)
        goes_on = self._console.is_terminal and not pacing.paused
        if counts != self._counts or goes_on:
            self._write(f"{_CLEAR}{self._line(pacing)}" if self._console.is_terminal else f"{self._line(pacing)}\n")
        self._counts = counts

    def log(self, text: str) -> None:
        """Writes a line with the time of the cluster."""
        clear = _CLEAR if self._console.is_terminal else ""
        self._write(f"{clear}{render_time(self._clock.now)} {text}\n")

    def close(self, pacing: Pacing) -> None:
        """Shows the last state and ends the line."""
        self.show(pacing)
        if self._console.is_terminal:
            self._write("\n")

    def _line(self, pacing: Pacing) -> str:
        speed = "paused" if pacing.paused else "as fast as possible" if pacing.speed is None else f"{pacing.speed:g}×"
        pods = f"{counted(self.created_pods, 'pod')} created, {self.bound_pods:,} bound, {self.ended_pods:,} ended"
        line = f"{render_time(self._clock.now)} ({speed}) · {counted(self.requests, 'request')} · {pods}"
        return line[: self._console.width - 1] if self._console.is_terminal else line

    def _write(self, text: str) -> None:
        self._console.file.write(text)
        self._console.file.flush()

    def _added(self, new: Pod) -> None:
        self.created_pods += 1

    def _modified(self, old: Pod, new: Pod) -> None:
        if new.node_name and not old.node_name:
            self.bound_pods += 1
            if self.verbose:
                self.log(f"bound {new.namespace}/{new.name} to {new.node_name}")
        if new.phase is not old.phase and new.phase in ENDS and old.phase not in ENDS:
            self.ended_pods += 1
            if self.verbose:
                self.log(f"{new.phase.lower()} {new.namespace}/{new.name}")


class ShownApp:
    """An application whose activity is shown while it runs."""

    def __init__(self, app: App, activity: Activity, pacing: Pacing) -> None:
        self._app = app
        self._activity = activity
        self._pacing = pacing
        self._timer: asyncio.TimerHandle | None = None

    def start(self, failed: Callable[[Exception], None]) -> None:
        """Starts the application, and shows its activity from now on."""
        self._app.start(failed)
        self._show()

    def stop(self) -> None:
        """Stops both."""
        if self._timer is not None:
            self._timer.cancel()
        self._activity.close(self._pacing)
        self._app.stop()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Counts a request and passes it on."""
        self._activity.requests += 1
        if not self._activity.verbose:
            await self._app(scope, receive, send)
            return

        async def logged(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                self._activity.log(f"{scope.get('method', 'GET')} {scope['path']} {message['status']}")
            elif message["type"] == "websocket.accept":
                self._activity.log(f"GET {scope['path']} 101")
            await send(message)

        await self._app(scope, receive, logged)

    def _show(self) -> None:
        self._activity.show(self._pacing)
        self._timer = asyncio.get_running_loop().call_later(self._activity.interval_s, self._show)
