from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import msgspec

from wavetank.batchoperator.client.remote.connection import refusal
from wavetank.cluster.store.errors import ApiError, ExpiredError
from wavetank.realclusters.client.client import ApiClient

Document = dict[str, Any]

_PAGE = 500  # objects of an answer
_FIRST_PAUSE_S = 0.2
_LONGEST_PAUSE_S = 5.0


class Informer:
    """Lists the objects of a path and watches them, for as long as its task runs.

    `replace` is called with all objects of a list, `change` with the type and the object of each event. If the server
    cannot be reached it tries again after a pause, which grows up to five seconds; the watch goes on where it ended.
    """

    def __init__(
        self,
        client: ApiClient,
        path: str,
        replace: Callable[[list[Document]], None],
        change: Callable[[str, Document], None],
    ) -> None:
        self.synced = asyncio.Event()
        self._client = client
        self._path = path
        self._replace = replace
        self._change = change
        self._pause_s = _FIRST_PAUSE_S

    async def run(self) -> None:
        """Follows the objects until it is cancelled."""
        version = ""
        while True:
            try:
                version = version or await self._list()
                async for events in self._client.watch(self._path, version):
                    version = self._apply(events, version)
            except ExpiredError:
                version = ""
            except ApiError:
                await asyncio.sleep(self._pause_s)
                self._pause_s = min(2 * self._pause_s, _LONGEST_PAUSE_S)

    async def _list(self) -> str:
        found: list[Document] = []
        token = ""
        while True:
            joint = "&" if "?" in self._path else "?"
            more = f"&continue={quote(token)}" if token else ""
            answer = await self._client.read("GET", f"{self._path}{joint}limit={_PAGE}{more}")
            found += answer.get("items") or []
            token = answer["metadata"].get("continue") or ""
            if not token:
                break
        self._replace(found)
        self.synced.set()
        return str(answer["metadata"]["resourceVersion"])

    def _apply(self, events: list[Document], version: str) -> str:
        for event in events:
            if event["type"] == "ERROR":
                raise refusal(int(event["object"].get("code") or 500), msgspec.json.encode(event["object"]))
            version = str(event["object"]["metadata"]["resourceVersion"])
            if event["type"] != "BOOKMARK":
                self._change(event["type"], event["object"])
        self._pause_s = _FIRST_PAUSE_S
        return version
