"""The page of a served cluster in a real browser."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.apiserver.serving import NODES, TOKEN
from tests.support.browser import Pages, saved_by
from tests.ui.accessibility import problems_of
from tests.ui.serving import ServedPages, setting_of

DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
SETTING = setting_of(NODES)


def log_in(page: Page) -> None:
    page.locator("#token").fill(TOKEN)
    page.get_by_role("button", name="Log in").click()
    expect(page.locator("#facts")).to_contain_text("2 nodes")


class Live(ServedPages):
    """A served cluster of two nodes whose clock is paused, and its pages."""

    def __init__(self, browser: Browser) -> None:
        super().__init__(SETTING)
        self.pages = Pages(browser)

    def open(self, width: int = 1400) -> Page:
        """Opens the page and logs in."""
        page = self.pages.open(f"{self.url}/ui/", width)
        log_in(page)
        return page

    def deploy(self, name: str, replicas: int, cpu: str) -> None:
        container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}
        template = {"metadata": {"labels": {"app": name}}, "spec": {"containers": [container]}}
        spec = {"replicas": replicas, "selector": {"matchLabels": {"app": name}}, "template": template}
        manifest = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": spec}
        assert self.ask("POST", DEPLOYMENTS, manifest).status == 201


@pytest.fixture
def live(browser: Browser) -> Iterator[Live]:
    """No page may log an error."""
    with Live(browser) as live:
        yield live
        live.pages.close()
    assert live.pages.errors == []


def test_the_link_logs_in_and_a_rollout_is_watched_scaled_and_explained(live: Live) -> None:
    page = live.pages.open(live.link)
    expect(page.locator("#facts")).to_contain_text("2 nodes")
    assert page.url == f"{live.url}/ui/"
    live.deploy("web", 4, "1")
    live.advance("1m")
    page.get_by_role("tab", name="Workloads").click()
    web = page.locator("[data-workload='Deployment/default/web']")
    expect(web).to_contain_text("4 / 4")
    expect(web).to_contain_text("complete")
    expect(page.locator("#facts")).to_contain_text("4 pods on them")
    web.get_by_role("button", name="Scale default/web up").click()
    live.advance("1m")
    expect(web).to_contain_text("5 / 5")
    page.get_by_role("tab", name="Events").click()
    expect(page.locator("#list")).to_contain_text("Successfully assigned default/web-")
    page.get_by_role("tab", name="Nodes").click()
    page.locator("#list").get_by_role("button", name="n1").click()
    page.locator("#detail").get_by_role("button", name="default/web").first.click()
    page.get_by_role("button", name="Why this node?").click()
    expect(page.get_by_role("region", name="Explanation")).to_contain_text("NodeResourcesFit")
    page.get_by_role("button", name="YAML").click()
    expect(page.locator("#detail pre")).to_contain_text("containers:")
    page.reload()
    expect(page.locator("#facts")).to_contain_text("2 nodes")


def test_a_node_is_drained_fails_and_comes_back(live: Live) -> None:
    live.deploy("web", 3, "500m")
    live.advance("1m")
    page = live.open()
    page.get_by_role("tab", name="Nodes").click()
    page.locator("#list").get_by_role("button", name="n1").click()
    detail = page.locator("#detail")
    detail.get_by_role("button", name="Drain").click()
    expect(page.locator("#said")).to_contain_text("n1 is drained")
    live.advance("1m")
    expect(detail).to_contain_text("cordoned")
    expect(detail).to_contain_text("0 of 110")
    detail.get_by_role("button", name="Uncordon").click()
    expect(detail.locator(".state")).to_have_text("ready")
    detail.get_by_role("button", name="Fail").click()
    expect(detail.locator(".state")).to_have_text("not ready")
    live.advance("10s")
    expect(detail).to_contain_text("node.kubernetes.io/unreachable:NoExecute")
    detail.get_by_role("button", name="Recover").click()
    live.advance("10s")
    expect(detail.locator(".state")).to_have_text("ready")
    expect(detail).to_contain_text("Taintsnone")


def test_what_was_done_is_undone(live: Live) -> None:
    live.deploy("web", 3, "500m")
    live.advance("1m")
    page = live.open()
    page.get_by_role("tab", name="Workloads").click()
    web = page.locator("[data-workload='Deployment/default/web']")
    web.get_by_role("button", name="Scale default/web up").click()
    expect(page.locator("#said")).to_contain_text("scaled to 4")
    live.advance("1m")
    expect(web).to_contain_text("4 / 4")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#said")).to_contain_text("This is the cluster before: change deployments/web/scale")
    expect(web).to_contain_text("3 / 3")
    page.get_by_role("tab", name="History").click()
    page.get_by_role("button", name="Go back to before: create deployments").click()
    expect(page.locator("#facts")).to_contain_text("0 pods on them")
    expect(page.locator("#list")).to_contain_text("No client has written anything yet.")
    assert live.ask("GET", f"{DEPLOYMENTS}/web").status == 404


def test_a_pending_pod_is_explained(live: Live) -> None:
    live.deploy("big", 1, "5")
    live.advance("10s")
    page = live.open()
    expect(page.get_by_role("tab", name="Pending 1")).to_be_visible()
    page.locator("#list .row").click()
    expect(page.locator("#detail .notice")).to_contain_text("0/2 nodes are available: 2 Insufficient cpu.")
    page.get_by_role("button", name="Why is it pending?").click()
    explanation = page.get_by_role("region", name="Explanation")
    expect(explanation).to_contain_text("unschedulable: 0 of 2 nodes feasible")
    expect(explanation).to_contain_text("What would help")
    expect(explanation.locator("tbody tr")).to_have_text([re.compile("NodeResourcesFitInsufficient cpu2n1, n2")])
    saved = saved_by(page, explanation.get_by_text("CSV"))
    assert saved == 'Filtered out by,Reason,Nodes,Which\nNodeResourcesFit,Insufficient cpu,2,"n1, n2"\n'


def test_the_nodes_and_the_lists_are_saved(live: Live) -> None:
    live.deploy("web", 2, "1")
    live.advance("1m")
    page = live.open()
    expect(page.locator("#facts")).to_contain_text("2 pods on them")
    drawn = saved_by(page, page.locator("#map-controls").get_by_text("SVG"))
    assert ">n1<" in drawn
    placed = saved_by(page, page.locator("#map-controls").get_by_text("CSV")).splitlines()
    assert [line.split(",")[0] for line in placed] == ["node", "n1", "n2"]
    heads = {
        "Pending": "namespace,name,state,cpu_milli,memory_bytes,priority,owner,created,message",
        "Workloads": "kind,namespace,name,desired,updated,ready,message",
        "Events": "time,type,reason,kind,namespace,name,message,count",
        "Nodes": "node,node_state,zone,pool,cpu_milli,cpu_requested_milli,memory_bytes,memory_requested_bytes,pods",
    }
    for tab, head in heads.items():
        page.get_by_role("tab", name=tab).click()
        lines = saved_by(page, page.locator("#list").get_by_text("CSV")).splitlines()
        assert lines[0] == head
        assert len(lines) - 1 == page.locator("#list .row").count()


def test_manifests_are_applied_and_text_of_the_cluster_is_never_markup(live: Live) -> None:
    page = live.open()
    page.get_by_role("tab", name="Submit").click()
    text = page.locator("#manifest")
    text.fill(text.input_value() + "---\napiVersion: v1\nkind: Nothing\nmetadata: {name: x}\n")
    page.get_by_role("button", name="Apply").click()
    outcome = page.locator(".submit [role=status]")
    expect(outcome).to_contain_text("Deployment web: applied")
    expect(outcome).to_contain_text("Nothing x: no kind Nothing in v1")
    manifest = {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": "e", "namespace": "default"},
        "involvedObject": {"kind": "Pod", "namespace": "default", "name": "x"},
        "message": "<img src=x onerror=alert(1)>",
    }
    assert live.ask("POST", "/api/v1/namespaces/default/events", manifest).status == 201
    page.get_by_role("tab", name="Events").click()
    expect(page.locator("#list")).to_contain_text("<img src=x onerror=alert(1)>")
    data = page.evaluate_handle(
        """() => {
            const data = new DataTransfer();
            data.items.add(new File(['{apiVersion: v1, kind: Namespace, metadata: {name: dropped}}'], 'n.yaml'));
            return data;
        }"""
    )
    page.dispatch_event("body", "drop", {"dataTransfer": data})
    expect(outcome).to_contain_text("Namespace dropped: applied")


def test_everything_is_done_with_the_keyboard(live: Live) -> None:
    live.deploy("big", 1, "5")
    live.advance("10s")
    page = live.open()
    page.get_by_role("application", name="Nodes").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#views [role=status]")).to_contain_text("n2: ready · 0 pods")
    page.keyboard.press("Enter")
    expect(page.locator("#detail h2")).to_have_text("n2")
    tabbed_to(page, "Cordon")
    page.keyboard.press("Enter")
    expect(page.locator("#detail .state")).to_have_text("cordoned")
    page.keyboard.press("Escape")
    expect(page.locator("#detail")).to_be_hidden()
    page.locator("#tab-pending").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#tab-workloads")).to_be_focused()
    page.keyboard.press("ArrowLeft")
    tabbed_to(page, "default/big")
    page.keyboard.press("Enter")
    tabbed_to(page, "Why is it pending?")
    page.keyboard.press("Enter")
    expect(page.get_by_role("region", name="Explanation")).to_contain_text("0 of 2 nodes feasible")
    page.get_by_role("application", name="Nodes").focus()
    page.keyboard.press("Space")
    expect(page.locator("#pause")).to_have_text("Pause")
    page.keyboard.press("Space")
    expect(page.locator("#pause")).to_have_text("Resume")
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox")).to_be_focused()


def tabbed_to(page: Page, text: str) -> None:
    """Presses Tab until something with this text has the focus."""
    for _ in range(40):
        page.keyboard.press("Tab")
        if text in page.evaluate("document.activeElement.matches('button') ? document.activeElement.textContent : ''"):
            return
    raise AssertionError(f"Tab never came to {text}")


def test_the_page_is_accessible_and_nothing_is_wider_than_the_window(live: Live) -> None:
    live.deploy("web", 3, "500m")
    live.deploy("big", 1, "5")
    live.advance("10s")
    page = live.open()
    page.get_by_role("tab", name="Nodes").click()
    page.locator("#list").get_by_role("button", name="n1").click()
    for width in (400, 800, 1400):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert problems_of(page) == []
    page.emulate_media(color_scheme="dark")
    page.get_by_role("tab", name="Submit").click()
    assert problems_of(page) == []


def test_a_used_link_says_so_and_the_token_still_works(browser: Browser, live: Live) -> None:
    live.pages.open(live.link).close()
    pages = Pages(browser)
    page = pages.open(live.link)
    expect(page.locator("#login")).to_contain_text("The link works once, and has been used.")
    page.locator("#token").fill("wrong")
    page.get_by_role("button", name="Log in").click()
    expect(page.locator("#login")).to_contain_text("This page needs the link")
    log_in(page)
    expect(page.locator(".scroller")).to_have_count(1)
    pages.close()
    assert {re.search(r"status of (\d+)", error)[1] for error in pages.errors} == {"401", "403"}  # type: ignore[index]
