"""How smooth the page of a served cluster is: frames of 5,000 nodes with 50,000 pods in headless Chromium.

    python bench/page.py [--nodes 5000] [--pods 50000] [--picture page.png]

Headless Chromium draws in software, so a machine with a graphics card is faster. `draw` is the time of the page's own
code in a frame, `frame` the time between two frames; a page is smooth if neither is above 16.7 ms for long. The browser
needs a core of its own: figures of a busy machine say little.
"""

from __future__ import annotations

import argparse
import asyncio
import shutil
import threading
import time
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, sync_playwright

from wavetank.apiserver.clock.pacing import Pacing
from wavetank.apiserver.http.authentication import Authenticator
from wavetank.apiserver.http.server import Server, listen, make_config
from wavetank.cluster.objects.groupkinds import POD
from wavetank.cluster.objects.kinds import parse_resource
from wavetank.cluster.store.store import Store
from wavetank.simulation.served.cluster import ServedCluster, ServedSetting
from wavetank.ui.login import OneTimeLogin
from wavetank.ui.served import make_app
from wavetank.workloads.cluster import Cluster

_SIZES = (("250m", "512Mi"), ("500m", "1Gi"), ("1", "2Gi"), ("1", "8Gi"), ("3", "6Gi"))
_SECONDS = 5.0  # of each measurement
_CHANGES = 50  # pods that are replaced every 50 ms: 1,000 a second
# Frames while something happens: the times between them, and how long the page drew.
_COUNT = """(seconds) => new Promise((done) => {
    const gaps = []; wavetank.view.frames.length = 0; let last = performance.now(); const end = last + 1000 * seconds;
    const frame = () => { const now = performance.now(); gaps.push(now - last); last = now;
        if (now < end) requestAnimationFrame(frame); else done({ frame: gaps, draw: [...wavetank.view.frames] }); };
    requestAnimationFrame(frame);
})"""
_SCROLL = """() => { const { scroller } = wavetank.view; scroller.style.height = "340px"; let at = 0;
    wavetank.timer = setInterval(() => { scroller.scrollTop = 150 + 150 * Math.sin(at += 0.05); }, 16); }"""
_REDRAW = "() => { clearInterval(wavetank.timer); setInterval(() => wavetank.view.schedule(true), 16); }"


def node(number: int) -> dict[str, Any]:
    """Returns a node in one of three zones."""
    labels = {"topology.kubernetes.io/zone": f"zone-{'abc'[number % 3]}"}
    amounts = {"cpu": "16", "memory": "64Gi", "pods": "110"}
    metadata = {"name": f"node-{number}", "labels": labels}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata, "status": {"allocatable": amounts}}


def pod(number: int, nodes: int) -> dict[str, Any]:
    """Returns a running pod."""
    cpu, memory = _SIZES[number % len(_SIZES)]
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu, "memory": memory}}}
    metadata = {"name": f"pod-{number}", "namespace": f"team-{number % 7}"}
    spec = {"nodeName": f"node-{number * 7919 % nodes}", "containers": [container]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": {"phase": "Running"}}


class Churn:
    """Replaces pods of a store, from the loop of its server."""

    def __init__(self, store: Store, nodes: int, pods: int) -> None:
        self._store, self._nodes, self._next = store, nodes, pods
        self.on = False

    async def run(self) -> None:
        """Runs for ever."""
        while True:
            if self.on:
                for old in list(self._store.objects(POD).values())[:_CHANGES]:
                    self._store.delete(old)
                    self._store.create(parse_resource(pod(self._next, self._nodes), self._store.specs))
                    self._next += 1
            await asyncio.sleep(0.05)


def serve(nodes: int, pods: int) -> tuple[str, Churn]:
    """Serves a cluster from a thread; returns the address of its page."""
    manifests = [node(i) for i in range(nodes)] + [pod(i, nodes) for i in range(pods)]
    guard = Authenticator(None, "127.0.0.1")
    served = ServedCluster(ServedSetting(Cluster(manifests)), guard.authenticate)
    app = make_app(served, guard, Pacing(served.clock), None, OneTimeLogin(None))
    socket, server, churn = listen("127.0.0.1", 0), Server(make_config(app), app), Churn(served.store, nodes, pods)

    async def run() -> None:
        changing = asyncio.create_task(churn.run())
        await server.serve([socket])
        changing.cancel()

    threading.Thread(target=lambda: asyncio.run(run()), daemon=True).start()
    while not server.started:
        time.sleep(0.05)
    return f"http://127.0.0.1:{socket.getsockname()[1]}/ui/", churn


def summary(values: list[float]) -> str:
    """Returns median, 95th percentile and largest of times in ms."""
    ordered = sorted(values) or [0.0]
    picked = [ordered[min(len(ordered) - 1, int(share * len(ordered)))] for share in (0.5, 0.95, 1)]
    return " / ".join(f"{value:.1f}" for value in picked) + f" ms ({len(values)})"


def measure(title: str, page: Page, begin: Callable[[], object]) -> None:
    """Prints the frames of a few seconds after `begin`."""
    begin()
    found = page.evaluate(_COUNT, _SECONDS)
    print(f"{title:28} frame {summary(found['frame']):32} draw {summary(found['draw'])}", flush=True)


def main() -> None:
    """Measures, and prints median / 95th percentile / largest."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=5000)
    parser.add_argument("--pods", type=int, default=50_000)
    parser.add_argument("--picture", help="where to write a picture of the page")
    given = parser.parse_args()
    url, churn = serve(given.nodes, given.pods)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1400, "height": 900}, bypass_csp=True)
        begun = time.perf_counter()
        page.goto(url)
        page.get_by_text("pods on them").wait_for(timeout=120_000)
        print(f"{given.nodes} nodes, {given.pods} pods; all drawn after {time.perf_counter() - begun:.1f} s")
        measure("nothing changes", page, lambda: None)
        churn.on = True
        measure(f"{20 * _CHANGES} pods/s replaced", page, lambda: None)
        churn.on = False
        measure("scrolling", page, lambda: page.evaluate(_SCROLL))
        measure("everything drawn each frame", page, lambda: page.evaluate(_REDRAW))
        if given.picture:
            page.screenshot(path=given.picture)
        browser.close()


if __name__ == "__main__":
    main()
