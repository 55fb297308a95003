"""Finished runs: the columns that the page gets, and the page in a real browser."""

from __future__ import annotations

import asyncio
import http.client
import json
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Browser, expect

from tests.support.browser import Pages, saved_by
from tests.support.waiting import PATIENCE_S, eventually
from tests.ui.accessibility import problems_of
from wavetank.apiserver.http.authentication import Authenticator
from wavetank.apiserver.http.server import Server, listen, make_config
from wavetank.cli.main import main
from wavetank.errors import InputError
from wavetank.results.read.runfolder import runs_in
from wavetank.ui.login import OneTimeLogin
from wavetank.ui.play.app import PlayApp
from wavetank.ui.play.recording import read_recording

SVG = "{http://www.w3.org/2000/svg}"
HEADER = (
    "namespace,name,job,submitted,scheduled,started,finished,node,phase,reason,restarts,cpu_milli,memory_bytes,requests,"
    "priority,scheduler,message\n"
)
NODES = "name,cpu_milli,memory_bytes,pods\na,4000,8589934592,110\nb,4000,8589934592,110\n"
TIMELINE = "name,group,ordered_s,node_s,ready_s,notice_s,removal_s,gone_s,price,cost,cpu_milli,memory_bytes"
SPREAD = (("p", 0, 0, 50, "a"), ("q", 10, 10, 60, "b"), ("r", 20, 60, 100, "b"))
PACKED = (("p", 0, 0, 50, "a"), ("q", 10, 10, 60, "a"), ("r", 20, 20, 70, "b"))


def pod_line(name: str, submitted: float, started: float, finished: float, node: str) -> str:
    times = f"{submitted},{started},{started},{finished}"
    return f"default,{name},{name},{times},{node},Succeeded,,0,3000,1073741824,cpu=3,0,s,\n"


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two schedulers that part at 10 s: one spreads pods, the other packs them."""
    folder = tmp_path_factory.mktemp("out")
    (folder / "summary.csv").write_text("scheduler,seed\nspread,1\npacked,1\n")
    for name, pods in (("spread", SPREAD), ("packed", PACKED)):
        run = folder / name / "seed-1"
        run.mkdir(parents=True)
        (run / "nodes.csv").write_text(NODES)
        (run / "pods.csv").write_text(HEADER + "".join(pod_line(*pod) for pod in pods))
    return folder


@pytest.fixture(scope="module")
def address(results: Path) -> Iterator[str]:
    with playing(results) as served:
        yield served


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A run in which node a fails for 10 s, is cordoned, and is taken back at 90 s."""
    folder = tmp_path_factory.mktemp("faulty")
    (folder / "summary.csv").write_text("scheduler,seed\ns,1\n")
    run = folder / "s/seed-1"
    run.mkdir(parents=True)
    (run / "nodes.csv").write_text(NODES)
    (run / "pods.csv").write_text(HEADER + pod_line("p", 0, 0, 100, "b"))
    (run / "node_states.csv").write_text("time_s,name,ready,schedulable\n20,a,no,yes\n30,a,yes,no\n40,a,yes,yes\n")
    (run / "node_timeline.csv").write_text(f"{TIMELINE}\na,spot,0,0,0,80,,90,1,1,4000,1\n")
    with playing(folder) as served:
        yield served


@contextmanager
def playing(results: Path) -> Iterator[str]:
    """Serves results, and yields the address."""
    app = PlayApp(results, Authenticator(None, "127.0.0.1"), None, OneTimeLogin(None))
    server, socket = Server(make_config(app), app), listen("127.0.0.1", 0)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve([socket])), daemon=True)
    thread.start()
    eventually(lambda: server.started, lambda: "the server has not started")
    yield f"http://127.0.0.1:{socket.getsockname()[1]}"
    server.should_exit = True
    thread.join(PATIENCE_S)
    socket.close()


def test_a_run_is_read_by_columns(results: Path) -> None:
    read = read_recording(runs_in(results)[0])
    assert read["nodes"]["name"] == ["a", "b"]
    assert read["nodes"]["cpu_milli"] == [4000, 4000]
    assert read["pods"]["started"] == [0, 10, 60]
    assert read["pods"]["node"] == {"values": ["a", "b"], "codes": [0, 1, 1]}
    json.dumps(read)


def test_a_sweep_is_played_scenario_by_scenario(tmp_path: Path) -> None:
    (tmp_path / "sweep.json").write_text("{}")
    with pytest.raises(InputError, match="give the folder of one of its scenarios"):
        PlayApp(tmp_path, Authenticator(None, "127.0.0.1"), None, OneTimeLogin(None))


def test_nodes_that_come_and_go_say_when(results: Path, tmp_path: Path) -> None:
    run = tmp_path / "s/seed-1"
    run.mkdir(parents=True)
    (run / "nodes.csv").write_text(NODES)
    (run / "pods.csv").write_text(HEADER)
    (run / "node_timeline.csv").write_text(f"{TIMELINE}\nb,spot,1,5,6,70,80,90,1,1,4000,1\n")
    nodes = read_recording(runs_in(run)[0])["nodes"]
    assert [list(nodes[name]) for name in ("came", "notice", "gone")] == [[None, 5], [None, 70], [None, 90]]
    assert list(nodes["group"]) == ["", "spot"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing"], "nothing: no results here"),
        ([".", "--token", "a", "--no-auth"], "--token and --no-auth cannot be used together"),
    ],
)
def test_bad_arguments_are_refused(
    arguments: list[str], message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["wavetank", "play", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("path", "host", "status"),
    [
        ("/", "127.0.0.1", 307),
        ("/ui/", "127.0.0.1", 200),
        ("/ui/", "evil.example", 403),
        ("/ui/api/runs", "127.0.0.1", 200),
        ("/ui/api/recording?run=spread/seed-1", "127.0.0.1", 200),
        ("/ui/api/recording?run=../..", "127.0.0.1", 404),
        ("/api/v1/pods", "127.0.0.1", 404),
    ],
)
def test_only_the_page_and_its_runs_are_served(address: str, path: str, host: str, status: int) -> None:
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=PATIENCE_S)
    connection.request("GET", path, headers={"Host": host})
    assert connection.getresponse().status == status
    connection.close()


def test_a_run_is_scrubbed_and_a_link_leads_to_the_same_instant(browser: Browser, address: str) -> None:
    pages = Pages(browser)
    page = pages.open(f"{address}/ui/")
    captions = page.locator(".caption")
    expect(captions).to_have_count(2)
    page.get_by_role("button", name="First difference").click()
    expect(captions.nth(0)).to_contain_text("spread, seed 1 2 pods on 2 nodes, 0 pending, CPU 75 %")
    expect(page.locator("#facts")).to_contain_text("10.0 s2 pods placed differently")
    expect(page.locator("#list .row").first).to_contain_text("b at 10.0 s | a at 10.0 s")
    page.get_by_role("button", name="Next event").click()
    expect(captions.nth(0)).to_contain_text("1 pending")
    expect(captions.nth(1)).to_contain_text("0 pending")
    expect(page).to_have_url(re.compile(r"#t=20&a=spread%2Fseed-1&b=packed%2Fseed-1"))
    other = pages.open(page.url)
    expect(other.locator(".caption").nth(0)).to_contain_text("1 pending")
    slider = page.get_by_role("slider", name="Time of the run")
    slider.focus()
    slider.press("Home")
    expect(captions.nth(0)).to_contain_text("1 pod on")
    slider.press("End")
    expect(captions.nth(0)).to_contain_text("0 pods on")
    page.locator("#run-choice select").nth(1).select_option("")
    expect(captions).to_have_count(1)
    expect(page).to_have_url(re.compile(r"a=spread%2Fseed-1$"))
    pages.close()
    assert pages.errors == []


def test_the_nodes_the_chart_and_the_lists_are_saved(browser: Browser, address: str) -> None:
    pages = Pages(browser)
    page = pages.open(f"{address}/ui/#t=30")
    expect(page.locator("#facts")).to_contain_text("30.0 s")
    nodes = page.locator(".view-box").first
    assert saved_by(page, nodes.get_by_text("CSV")).splitlines() == [
        "node,node_state,zone,pool,namespace,name,state,cpu_milli,memory_bytes,priority,owner",
        "a,ready,,,default,p,Running,3000,1073741824,0,",
        "b,ready,,,default,q,Running,3000,1073741824,0,",
    ]
    drawn = ElementTree.fromstring(saved_by(page, nodes.get_by_text("SVG")))
    assert [text.text for text in drawn.iter(f"{SVG}text")] == ["a", "b"]
    chart = saved_by(page, page.locator("#timeline").get_by_text("CSV")).splitlines()
    assert chart[0] == 'time_s,"pending_spread, seed 1","pending_packed, seed 1"'
    assert chart[101] == "25,1,0"
    drawn = ElementTree.fromstring(saved_by(page, page.locator("#timeline").get_by_text("SVG")))
    assert "spread, seed 1" in [text.text for text in drawn.iter(f"{SVG}text")]
    assert saved_by(page, page.locator("#list").get_by_text("CSV")).splitlines() == [
        "namespace,name,node_left,scheduled_s_left,node_right,scheduled_s_right",
        "default,q,b,10,a,10",
        "default,r,b,60,b,20",
    ]
    page.get_by_role("tab", name="Pending 1 left").click()
    assert "default,r,3000,1073741824,0,,20,60," in saved_by(page, page.locator("#list").get_by_text("CSV"))
    pages.close()
    assert pages.errors == []


def test_what_happens_to_nodes_is_listed_and_shown(browser: Browser, faulty: str) -> None:
    pages = Pages(browser)
    page = pages.open(f"{faulty}/ui/#t=5")
    caption = page.locator(".caption")
    expect(caption).to_contain_text("1 pod on 2 nodes, 0 pending")
    page.get_by_role("tab", name="Node events").click()
    rows = page.locator("#list .row")
    told = ["fails", "is ready again", "is cordoned", "is uncordoned", "gets a notice of interruption", "is taken back"]
    expect(rows).to_contain_text(told)
    rows.nth(0).click()
    expect(caption).to_contain_text("1 pod on 2 nodes (1 not ready)")
    page.get_by_role("application", name="Nodes").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.locator("#detail .state")).to_have_text("not ready")
    for row, state in ((2, "cordoned"), (3, "ready"), (4, "notice of interruption")):
        rows.nth(row).click()
        expect(page.locator("#detail .state")).to_have_text(state)
    rows.nth(5).click()
    expect(caption).to_contain_text("on 1 node,")
    pages.close()
    assert pages.errors == []


def test_a_run_is_played_with_the_keyboard_and_is_accessible(browser: Browser, address: str) -> None:
    pages = Pages(browser)
    page = pages.open(f"{address}/ui/#t=5")
    nodes = page.get_by_role("application", name="Nodes").first
    expect(page.get_by_text("1 pod on 2 nodes").first).to_be_visible()
    nodes.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.locator("#detail h2")).to_have_text("a")
    nodes.focus()
    page.keyboard.press(".")
    expect(page.locator("#facts")).to_contain_text("10.0 s")
    page.keyboard.press("Space")
    expect(page.locator("#play")).to_have_text("Pause")
    page.keyboard.press("Space")
    expect(page.locator("#play")).to_have_text("Play")
    for width in (400, 800, 1400):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    found = problems_of(page)
    pages.close()
    assert pages.errors == found == []
