"""Takes pictures of the pages of wavetank for docs/images: `python scripts/take_pictures.py [NAME…]`.

They are taken in headless Chromium, and differ in a few pixels between its versions. So this is not part of
`make generate`: run it when a page has changed, and look at the pictures before you commit them.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.request import Request, urlopen

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs/images"

_ZONE = """
apiVersion: v1
kind: Node
metadata:
  name: {zone}
  labels: {{topology.kubernetes.io/zone: {zone}}}
  annotations: {{wavetank.dev/count: "14"}}
status: {{allocatable: {{cpu: "16", memory: 64Gi, pods: "110"}}}}
"""
_HIDE = "each => each.hidden = true"
_SETS: tuple[tuple[str, str, int, str, str], ...] = (
    ("shop", "web", 60, "1", "2Gi"),
    ("shop", "api", 24, "2", "6Gi"),
    ("data", "kafka", 9, "4", "20Gi"),
)
_SETS += (("data", "search", 12, "3", "16Gi"), ("ml", "train", 28, "12", "40Gi"), ("ci", "runner", 60, "2", "8Gi"))


def _wavetank(folder: Path, *words: str) -> None:
    subprocess.run([sys.executable, "-m", "wavetank", *words, "--quiet"], cwd=folder, check=True, capture_output=True)


@contextmanager
def _serving(folder: Path, *words: str) -> Iterator[str]:
    """Runs a server and yields the link of its page."""
    command = [sys.executable, "-u", "-m", "wavetank", *words, "--port", "0", "--token", "picture", "--quiet"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield next(line.split()[1] for line in process.stdout if line.startswith("page:"))
        finally:
            process.terminate()


def _ask(page: str, path: str, body: object = None) -> None:
    url = re.sub(r"/ui/.*", path, page)
    headers = {"Authorization": "Bearer picture", "Content-Type": "application/json"}
    data = b"" if body is None else json.dumps(body).encode()
    with urlopen(Request(url, data, headers, method="POST")) as answer:
        answer.read()


def _deployment(namespace: str, name: str, replicas: int, cpu: str, memory: str) -> dict[str, Any]:
    container = {"name": "c", "image": name, "resources": {"requests": {"cpu": cpu, "memory": memory}}}
    template = {"metadata": {"labels": {"app": name}}, "spec": {"containers": [container]}}
    spec = {"replicas": replicas, "selector": {"matchLabels": {"app": name}}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "namespace": namespace}} | {
        "spec": spec
    }


def _shot(
    browser: Browser,
    url: str,
    name: str,
    scheme: str = "light",
    act: Callable[[Page], object] | None = None,
    height: int = 860,
) -> None:
    """Takes one picture, when the page has come to rest, and after `act`."""
    context = browser.new_context(viewport={"width": 1280, "height": height}, color_scheme=scheme)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(url)
    page.wait_for_timeout(2500)
    if act is not None:
        act(page)
        page.wait_for_timeout(1000)
    _write(name, page.screenshot())
    context.close()


def _write(name: str, picture: bytes) -> None:
    """Writes a picture with 256 colours, a third of the size."""
    Image.open(BytesIO(picture)).convert("RGB").quantize(256).save(IMAGES / f"{name}.png", optimize=True)


def _shot_part(browser: Browser, url: str, name: str, part: str, act: Callable[[Page], object] | None = None) -> None:
    """Takes a picture of one element of a page, after `act`."""
    context = browser.new_context(viewport={"width": 1200, "height": 1000}, color_scheme="light")
    page = context.new_page()
    page.goto(url)
    page.wait_for_timeout(2500)
    if act is not None:
        act(page)
        page.wait_for_timeout(500)
    _write(name, page.locator(part).screenshot())
    context.close()


def _take_section(name: str, example: str, section: str, without: str = "") -> Callable[[Browser, Path], None]:
    """Returns what takes one section of the report of an example, without one of its elements."""
    act = (lambda page: page.locator(without).evaluate(_HIDE)) if without else None

    def take(browser: Browser, folder: Path) -> None:
        _wavetank(folder, "run", f"examples/{example}/experiment.yaml", "-o", f"out/{name}")
        _shot_part(browser, (folder / f"out/{name}/report.html").as_uri(), name, f"#{section}", act)

    return take


def _write_document(page: str, target: Path) -> None:
    """Writes the first YAML document of a page of the docs."""
    text = (ROOT / "docs" / page).read_text()
    target.write_text(text.partition("```yaml\n")[2].partition("```")[0])


def take_tutorial(browser: Browser, folder: Path) -> None:
    """Takes the report of the first tutorial."""
    _write_document("tutorials/1-first-run.md", folder / "first.yaml")
    _wavetank(folder, "run", "first.yaml", "-o", "out/first")
    _shot(browser, (folder / "out/first/report.html").as_uri(), "tutorial-report", height=1500)


def take_sweep(browser: Browser, folder: Path) -> None:
    """Takes the report of a sweep of 240 runs; this takes minutes."""
    _wavetank(folder, "sweep", "examples/k8ssim/experiment.yaml", "-o", "out/sweep")
    _shot(browser, (folder / "out/sweep/report.html").as_uri(), "sweep-report", height=1910)


def take_spot(browser: Browser, folder: Path) -> None:
    """Takes the nodes of a scenario in which spot nodes are taken back."""
    _wavetank(folder, "sweep", "examples/13-spot-or-on-demand/sweep.yaml", "-o", "out/spot")
    report = folder / "out/spot/spot-rate-4/report.html"
    _shot_part(browser, report.as_uri(), "spot", "#nodes", lambda page: page.locator("#groups-table").evaluate(_HIDE))


def take_whatif(browser: Browser, folder: Path) -> None:
    """Takes the page of `wavetank whatif`."""
    question = ("--add", "1xb-1", "--drain", "b-0", "--html", "whatif.html")
    _wavetank(folder, "whatif", "examples/snapshot/shop.yaml", *question)
    _shot(browser, (folder / "whatif.html").as_uri(), "whatif", height=1060)


def take_explanation(browser: Browser, folder: Path) -> None:
    """Takes the page of `wavetank explain`."""
    _wavetank(folder, "whatif", "examples/snapshot/shop.yaml", "--drain", "b-0", "-o", "after.yaml.gz")
    _wavetank(folder, "explain", "after.yaml.gz", "api-8696b6d4d5-qsfx8", "--html", "why.html")
    _shot(browser, (folder / "why.html").as_uri(), "explain-pending", height=1040)


def take_report(browser: Browser, folder: Path) -> None:
    """Takes the demo's report, light and dark, and the demo played."""
    _wavetank(folder, "run", "examples/demo/experiment.yaml", "-o", "out/demo")
    report = (folder / "out/demo/report.html").as_uri()
    _shot(browser, report, "report")
    _shot(browser, report, "report-dark", "dark")


def take_play(browser: Browser, folder: Path) -> None:
    """Takes a finished run in the middle of its time."""
    _wavetank(folder, "run", "examples/demo/experiment.yaml", "-o", "out/play", "--seeds", "1")
    with _serving(folder, "play", "out/play") as page:
        _shot(browser, page, "play", act=_go_to(0.5))


def take_play_of_the_guide(browser: Browser, folder: Path) -> None:
    """Takes the two runs of docs/how-to/play-a-run.md where most pods are pending."""
    _write_document("how-to/play-a-run.md", folder / "parting.yaml")
    _wavetank(folder, "run", "parting.yaml", "-o", "out/parting")
    with _serving(folder, "play", "out/parting") as page:
        _shot(browser, page, "play-ten-nodes", act=_go_to(0.62))


def _go_to(share: float) -> Callable[[Page], object]:
    """Returns what moves the time of a played run to a share of it."""
    script = f"each => {{ each.value = each.max * {share}; each.dispatchEvent(new Event('input', {{bubbles: true}})) }}"
    return lambda page: page.locator("input[type=range]").evaluate(script)


def take_ui(browser: Browser, folder: Path) -> None:
    """Takes a served cluster with a few hundred pods, of which some are pending, light and dark."""
    (folder / "nodes.yaml").write_text("---".join(_ZONE.format(zone=zone) for zone in ("zone-a", "zone-b", "zone-c")))
    for scheme, name in (("light", "ui"), ("dark", "ui-dark")):
        with _serving(folder, "serve", "--cluster", "nodes.yaml", "--paused") as page:
            for namespace in sorted({each[0] for each in _SETS}):
                body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
                _ask(page, "/api/v1/namespaces", body)
            for each in _SETS:
                _ask(page, f"/apis/apps/v1/namespaces/{each[0]}/deployments", _deployment(*each))
            _ask(page, "/wavetank/clock/advance?by=2m")
            _shot(browser, page, name, scheme, lambda opened: opened.get_by_label("Group").select_option(label="zone"))


def take_page(browser: Browser, folder: Path) -> None:
    """Takes the cluster of docs/how-to/watch-a-cluster.md with a pending pod explained."""
    _write_document("how-to/watch-a-cluster.md", folder / "watched.yaml")
    with _serving(folder, "serve", "--cluster", "watched.yaml", "--paused") as page:
        _ask(page, "/apis/apps/v1/namespaces/default/deployments", _deployment("default", "web", 20, "2", "4Gi"))
        _ask(page, "/wavetank/clock/advance?by=2m")
        _shot(browser, page, "page", act=_explain_the_first, height=900)


def _explain_the_first(page: Page) -> None:
    page.locator("#list .row").first.click()
    page.get_by_role("button", name="Why is it pending?").click()


def take_capacity(browser: Browser, folder: Path) -> None:
    """Takes the page of `wavetank capacity`."""
    _wavetank(folder, "capacity", "examples/snapshot/shop.yaml", "--failures", "1", "--html", "capacity.html")
    _shot(browser, (folder / "capacity.html").as_uri(), "capacity", height=800)


def take_results(browser: Browser, folder: Path) -> None:
    """Takes the list of results."""
    for name in ("01-first-experiment", "04-faults", "08-batch-queues", "11-hpa"):
        _wavetank(folder, "run", f"examples/{name}/experiment.yaml", "-o", f"results/{name}")
    _wavetank(folder, "results", "results", "--html", "results/index.html")
    _shot(browser, (folder / "results/index.html").as_uri(), "results", height=500)


def take_study(browser: Browser, folder: Path) -> None:
    """Takes the page of a study."""
    _wavetank(folder, "study", "run", "topsis", "--small", "-o", "out/study")
    _shot(browser, (folder / "out/study/report.html").as_uri(), "study", height=1000)


PICTURES: dict[str, Callable[[Browser, Path], None]] = {
    "report": take_report,
    "play": take_play,
    "play-ten-nodes": take_play_of_the_guide,
    "ui": take_ui,
    "page": take_page,
    "tutorial": take_tutorial,
    "sweep": take_sweep,
    "services": _take_section("services", "15-shop-under-a-spike", "services", "#services-trace-figure"),
    "slow-service": _take_section("slow-service", "slow-service", "services"),
    "hpa-and-nodes": _take_section("hpa-and-nodes", "12-hpa-and-nodes", "nodes"),
    "energy": _take_section("energy", "16-energy", "energy"),
    "queues": _take_section("queues", "17-kueue", "queues"),
    "spot": take_spot,
    "whatif": take_whatif,
    "explanation": take_explanation,
    "capacity": take_capacity,
    "results": take_results,
    "study": take_study,
}


def main(names: list[str]) -> None:
    """Takes some pictures, or all of them."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    with TemporaryDirectory() as temporary, sync_playwright() as playwright:
        folder = Path(temporary)
        (folder / "examples").symlink_to(ROOT / "examples")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        for name in names or PICTURES:
            PICTURES[name](browser, folder)
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
