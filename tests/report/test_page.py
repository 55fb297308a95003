from __future__ import annotations

import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.report.synthetic import Recipe, write_results
from wavetank.errors import InputError
from wavetank.report.page.html import ALL_SCRIPTS, write_report
from wavetank.report.page.pagefile import ASSETS

HOSTILE = "</script><img src=x onerror=alert(1)><!--\u2028\u2029 & \"'"
Results = Callable[[Recipe], Path]


class Page(HTMLParser):
    """The elements of a page, its texts and its data."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self._island: list[str] = []
        self._inside = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._inside = "data" if ("id", "data") in attrs else tag

    def handle_data(self, data: str) -> None:
        (self._island if self._inside == "data" else self.texts).append(data)

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    @property
    def data(self) -> dict[str, object]:
        island: dict[str, object] = json.loads("".join(self._island))
        return island


def page_of(out: Path) -> Page:
    return Page(write_report(out).read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "recipe",
    [
        pytest.param(Recipe(), id="three schedulers and five seeds"),
        pytest.param(Recipe(schedulers=("only",)), id="one scheduler"),
        pytest.param(Recipe(seeds=(7,)), id="one seed"),
        pytest.param(Recipe(schedulers=("good", "lazy"), never_schedules=("lazy",)), id="one places no pod"),
        pytest.param(Recipe(schedulers=("lazy",), never_schedules=("lazy",)), id="no pod is placed"),
        pytest.param(Recipe(cut_s=120.0), id="ended while pods wait and run"),
        pytest.param(Recipe(pods=1, buckets=1), id="a single pod"),
    ],
)
def test_any_results_make_a_page(results: Results, recipe: Recipe) -> None:
    data = page_of(results(recipe)).data
    assert data["schedulers"] == list(recipe.schedulers)
    assert data["seeds"] == list(recipe.seeds)


@pytest.mark.parametrize(
    ("seeds", "lead"), [((1, 2), "Means over the seeds with 95 % confidence intervals"), ((7,), "Values of one seed")]
)
def test_the_comparison_says_how_many_seeds_it_is_of(results: Results, seeds: tuple[int, ...], lead: str) -> None:
    page = write_report(results(Recipe(seeds=seeds))).read_text(encoding="utf-8")
    assert lead in page
    assert page.count("confidence intervals") == (len(seeds) > 1)


def test_the_page_needs_nothing_but_itself(results: Results) -> None:
    page = write_report(results(Recipe())).read_text(encoding="utf-8")
    loads = [attrs for _, attrs in Page(page).elements if "src" in attrs or "href" in attrs]
    assert all("src" not in attrs and attrs["href"].startswith("#") for attrs in loads)  # places in the page itself
    assert "default-src 'none'" in page
    assert set(re.findall(r"https?://[^\"'\s]+", page)) == {"http://www.w3.org/2000/svg"}  # a name, never fetched
    assert not re.search(r"@import|url\(|fetch\(|XMLHttpRequest|import\(", page)


def test_the_same_results_give_the_same_bytes_wherever_they_lie(tmp_path: Path) -> None:
    pages = [write_report(write_results(tmp_path / place, Recipe())).read_bytes() for place in ("here", "there")]
    assert pages[0] == pages[1]
    assert str(tmp_path).encode() not in pages[0]


def test_nothing_unfinished_is_left_behind(results: Results) -> None:
    out = results(Recipe())
    before = {path.name for path in out.iterdir()}
    assert {path.name for path in write_report(out).parent.iterdir()} == before | {"report.html"}


def test_hostile_names_stay_text(results: Results) -> None:
    recipe = Recipe(name=HOSTILE, description=HOSTILE, warnings=(HOSTILE,), pod_names={0: HOSTILE})
    out = results(recipe)
    document = json.loads((out / "experiment.json").read_text())
    document["schedulers"][0]["description"] = HOSTILE
    (out / "experiment.json").write_text(json.dumps(document))
    tags = [tag for tag, _ in page_of(out).elements]
    assert "img" not in tags
    assert tags.count("script") == 2
    assert HOSTILE in "".join(page_of(out).texts)


def test_hostile_scheduler_names_stay_text(results: Results) -> None:
    out = results(Recipe(schedulers=("<b onclick=x>", "b")))
    page = page_of(out)
    assert page.data["schedulers"] == ["<b onclick=x>", "b"]
    assert all("onclick" not in attrs for _, attrs in page.elements)


def test_what_fills_a_slot_is_not_searched_for_slots(results: Results) -> None:
    page = write_report(results(Recipe(name="slot:data"))).read_text(encoding="utf-8")
    assert "<h1>slot:data</h1>" in page


def test_many_warnings_are_folded(results: Results) -> None:
    page = page_of(results(Recipe(warnings=[f"warning {i}" for i in range(9)])))
    assert ("details", {"class": "warnings"}) in page.elements


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        pytest.param("experiment.json", "{}", "experiment.json: .*missing required field", id="a bare document"),
        pytest.param("summary.csv", "scheduler\n", "summary.csv: expected a column 'seed'", id="no such column"),
        pytest.param(
            "kube-scheduler/seed-1/nodes.csv",
            "name,cpu_milli,memory_bytes\nnode-0,1000,1\nnode-1,much,1\n",
            "nodes.csv: row 3: cpu_milli: expected a number, got 'much'",
            id="not a number",
        ),
        pytest.param(
            "kube-scheduler/seed-1/nodes.csv",
            "cpu_milli,name,memory_bytes\n1\n",
            "row 2: expected 3 cells",
            id="a short row",
        ),
    ],
)
def test_a_file_that_cannot_be_used_is_named(results: Results, name: str, content: str, message: str) -> None:
    out = results(Recipe(schedulers=("kube-scheduler",), seeds=(1,)))
    (out / name).write_text(content)
    with pytest.raises(InputError, match=message):
        write_report(out)
    assert not (out / "report.html").exists()


def test_a_missing_file_is_named(results: Results) -> None:
    out = results(Recipe())
    (out / "volcano/seed-3/pods.csv").unlink()
    with pytest.raises(InputError, match=r"volcano/seed-3/pods\.csv: cannot be read: No such file"):
        write_report(out)


def test_every_script_is_part_of_the_page() -> None:
    present = {path.relative_to(str(ASSETS)).as_posix() for path in Path(str(ASSETS)).glob("js/**/*.js")}
    assert {f"{name}.js" for name in ALL_SCRIPTS} == present
