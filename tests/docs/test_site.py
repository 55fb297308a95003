"""The documentation site: it is built strictly, needs nothing from elsewhere, and can be searched from a folder."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import ROOT

_RESOURCE = re.compile(r'<(?:script|img|iframe|source)[^>]* src="?(https?:[^" >]+)|<link[^>]* href="?(https?:[^" >]+)')


def build(root: Path, *, into: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mkdocs", "build", "--site-dir", str(into)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    built = build(ROOT, into=folder)
    assert built.returncode == 0, built.stderr
    return folder


def test_no_page_loads_anything_from_elsewhere(site):
    for page in site.rglob("*.html"):
        assert not _RESOURCE.findall(page.read_text(encoding="utf-8")), page.name


def test_files_beside_the_docs_have_pages(site):
    gallery = (site / "gallery.html").read_text(encoding="utf-8")
    assert 'href="examples/demo/experiment.yaml.html"' in gallery
    assert (site / "examples/demo/experiment.yaml.html").exists()


def test_the_pages_can_be_searched_without_a_server(browser, site):
    page = browser.new_page()
    page.goto((site / "index.html").as_uri())
    page.get_by_placeholder("Search").fill("drain")
    page.locator(".md-search-result__link", has_text="drain").first.click()
    page.wait_for_url("**/*drain*")
    page.close()


@pytest.mark.parametrize(
    ("index", "said"),
    [
        pytest.param("[there](gone.md)", "gone.md", id="a dead link"),
        pytest.param("[there](page.md#gone)", "gone", id="a heading that is not there"),
        pytest.param("nothing", "page.md", id="a page that no table of the index has"),
    ],
)
def test_a_site_with_a_fault_is_not_built(tmp_path, index, said):
    for name in ("mkdocs.yml", "scripts/site_hooks.py", "docs/site/extra.css", "docs/site/iframe-worker.js"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    for name in ("CONTRIBUTING.md", "CHANGELOG.md", "examples/README.md", "docs/page.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("# A page\n")
    table = "| page |\n|---|\n| [page](page.md) |\n" if index != "nothing" else ""
    (tmp_path / "docs/README.md").write_text(f"# Index\n\n{index}\n\n## Pages\n\n{table}")
    built = build(tmp_path, into=tmp_path / "site")
    assert built.returncode != 0
    assert said in built.stderr
