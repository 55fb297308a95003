"""The requests of K8sSim's clients: /reset, /step, /stepResult and /stepResultAnyway, without the transport."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from wavetank.errors import InputError, WavetankError
from wavetank.k8ssim.info import clock_text
from wavetank.k8ssim.stepping import K8sSim

_RESULTS = "/stepResult"  # and /stepResultAnyway: K8sSim does not read their bodies
_NOTHING: Mapping[str, Any] = {"Jobs": {}, "Nodes": {}, "NotCompletion": False}  # before the first /reset


class Answer(NamedTuple):
    """An HTTP status and a JSON body."""

    status: int
    body: bytes


class K8sSimServer:
    """Answers requests one after the other; a step with Volcano runs in the background.

    An invalid request is answered with 400 and {"error": message}, and changes nothing. The two requests for results
    are never invalid: as in K8sSim their bodies are not read, and before the first /reset there are no jobs and nodes.
    """

    def __init__(self, compat: bool = False, seed: int = 1) -> None:
        self._make: Callable[[], K8sSim] = lambda: K8sSim(compat=compat, seed=seed)
        self._sim: K8sSim | None = None
        self._worker: threading.Thread | None = None
        self._failure = ""
        self._handlers: Mapping[str, Callable[[Mapping[str, Any]], Any]] = {
            "/reset": self._reset,
            "/step": self._step,
            "/stepResult": self._result,
            "/stepResultAnyway": self._result_anyway,
        }

    def handle(self, path: str, body: bytes) -> Answer:
        """Answers a request; its method is ignored, as in K8sSim."""
        handler = self._handlers.get(path.rstrip("/") or "/")
        if handler is None:
            return _answer(404, {"error": f"there is no {path}: expected one of {', '.join(self._handlers)}"})
        try:
            return _answer(200, handler({} if path.startswith(_RESULTS) else _read(body)))
        except WavetankError as error:
            return _answer(400, {"error": str(error)})

    def close(self) -> None:
        """Ends the step in the background."""
        if self._worker is not None:
            assert self._sim is not None
            self._sim.stop()
            self._worker.join()
            self._worker = None

    def _reset(self, given: Mapping[str, Any]) -> Any:
        nodes, workload = _yaml(given, "nodes"), _yaml(given, "workload")
        sim = self._make()
        state = sim.reset(nodes, workload, _period(given.get("period", "-1")))
        self.close()
        self._sim, self._failure = sim, ""
        return state

    def _step(self, given: Mapping[str, Any]) -> Any:
        sim = self._simulation()
        if not sim.has_jobs:
            action = given.get("action")
            if isinstance(action, bool) or not isinstance(action, int):
                raise InputError(f"expected a number, got {action!r:.60}", path="action")
            return sim.step(action)
        if self._is_busy():
            raise InputError("the last step is still running: ask for /stepResult, or /reset")
        conf = sim.read_conf(_yaml(given, "conf"))
        self._worker = threading.Thread(target=self._run, args=(sim, conf), daemon=True)
        self._worker.start()
        return 1

    def _run(self, sim: K8sSim, conf: Any) -> None:
        try:
            sim.step(conf)
        except WavetankError as error:
            self._failure = str(error)

    def _result(self, given: Mapping[str, Any]) -> Any:
        sim = self._sim
        if sim is None:
            return {**_NOTHING, "done": True, "nodes": None, "pods": None, "clock": clock_text(0)}
        if self._is_busy():
            return 0
        if self._failure:
            raise WavetankError(self._failure)
        return sim.state()

    def _result_anyway(self, given: Mapping[str, Any]) -> Any:
        if self._sim is None:
            return _NOTHING
        with self._sim.pausing() as sim:
            return sim.books()

    def _is_busy(self) -> bool:
        return self._worker is not None and self._worker.is_alive()

    def _simulation(self) -> K8sSim:
        if self._sim is None:
            raise InputError("no simulation: start one with /reset")
        return self._sim


def _answer(status: int, value: Any) -> Answer:
    return Answer(status, json.dumps(value).encode())


def _read(body: bytes) -> Mapping[str, Any]:
    if not body.strip():
        return {}
    try:
        value = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise InputError(f"expected JSON: {error}") from None
    if not isinstance(value, Mapping):
        raise InputError(f"expected a JSON object, got {value!r:.60}")
    return value


def _yaml(given: Mapping[str, Any], field: str) -> str:
    """Returns a text with a line break, so that it is never read as the name of a local file."""
    value = given.get(field)
    if not isinstance(value, str):
        raise InputError(f"expected a text, got {value!r:.60}", path=field)
    return value + "\n"


def _period(value: object) -> int:
    try:
        period = int(str(value))
    except ValueError:
        raise InputError(f"expected a number of seconds or -1, got {value!r:.60}", path="period") from None
    if period != -1 and period < 1:
        raise InputError(f"expected a number of seconds or -1, got {period}", path="period")
    return period
