"""Hooks of mkdocs: the navigation follows docs/README.md, and links to files beside docs lead to pages of the site.

The pages are written for GitHub, where a link may lead to ../examples/demo/experiment.yaml. The site gets a page for
each such file; Markdown files are rendered, others are shown as code, and a folder as a list of its files.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
PROJECT = {"Examples": "examples/README.md", "Contributing": "CONTRIBUTING.md", "Changes": "CHANGELOG.md"}

_FENCED = re.compile(r"(^ *```.*?^ *```)", re.M | re.S)
_LINK = re.compile(r"\]\((?!\w+:|#)([^()\s#]+)(#[^()\s]*)?\)")
_ROW = re.compile(r"^\| \[([^\]]+)\]\(([^()\s#]+)\)")
_LANGUAGES = {".py": "python", ".yaml": "yaml", ".json": "json", ".go": "go", ".xml": "xml"}


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Makes the navigation from the headings and tables of docs/README.md."""
    nav: list[object] = [{"Home": "README.md"}, *_sections((ROOT / "docs/README.md").read_text(encoding="utf-8"))]
    nav.append({"Project": [{title: path} for title, path in PROJECT.items()]})
    config.nav = nav
    return config


def _sections(index: str) -> list[dict[str, list[object]]]:
    """Returns the sections of the index (##), with the pages in the first column of their tables, also by ###."""
    sections: list[dict[str, list[object]]] = []
    pages: list[object] = []
    section: list[object] = []
    for line in index.splitlines():
        if line.startswith("## "):
            pages = section = []
            sections.append({line[3:]: section})
        elif line.startswith("### "):
            pages = []
            section.append({line[4:]: pages})
        elif row := _ROW.match(line):
            pages.append(_entry(row[1], row[2]))
    return [each for each in sections if any(each.values())]


def _entry(text: str, page: str) -> object:
    """Returns a page by the text of its link, or by its own title if that is the name of a file."""
    return page if text.endswith(".md") else {f"{text[0].upper()}{text[1:]}": page}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds a page for each file outside docs that a page links to."""
    names = [f"docs/{file.src_uri}" for file in files.documentation_pages()]
    for name in [*names, *PROJECT.values()]:
        for target in _targets(name):
            if not target.startswith("docs/") and files.get_file_from_path(_site_path(target)) is None:
                _add(files, target, config)
    return files


def _targets(name: str) -> Iterator[str]:
    """Yields the files that a Markdown file links to, and itself, as paths from the root of the repository."""
    yield name
    text = _FENCED.sub("", (ROOT / name).read_text(encoding="utf-8"))
    for link, _ in _LINK.findall(text):
        target = _resolve(name, link)
        if (ROOT / target).exists():
            yield target


def _resolve(name: str, link: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), link))


def _site_path(target: str) -> str:
    """Returns the path in the site of a file or folder of the repository."""
    if target == "README.md":
        return target  # the site's first page is that of docs
    if target.startswith("docs/") or target.endswith(".md"):
        return target.removeprefix("docs/")
    return f"{target}/index.md" if (ROOT / target).is_dir() else f"{target}.md"


def _add(files: Files, target: str, config: MkDocsConfig) -> None:
    path = ROOT / target
    if path.is_dir():
        inner = sorted(each for each in path.iterdir() if each.suffix in _LANGUAGES)
        for each in inner:
            _add(files, str(each.relative_to(ROOT)), config)
        content = "\n".join([f"# {target}\n", *(f"- [{each.name}]({each.name}.md)" for each in inner)])
    elif path.suffix == ".md":
        content = path.read_text(encoding="utf-8")
    else:
        code = path.read_text(encoding="utf-8").rstrip()
        content = f"# {target}\n\n````{_LANGUAGES.get(path.suffix, 'text')}\n{code}\n````\n"
    is_in_nav = target in PROJECT.values()
    level = InclusionLevel.UNDEFINED if is_in_nav else InclusionLevel.NOT_IN_NAV
    files.append(File.generated(config, _site_path(target), content=content, inclusion=level))


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Rewrites the links of a page that lead out of docs, or into it from beside it."""
    here = page.file.src_uri
    name = here if here in PROJECT.values() else f"docs/{here}"
    parts = _FENCED.split(markdown)
    if page.file.generated_by is not None and name.startswith("docs/"):
        return markdown  # code or a list of files
    return "".join(part if _FENCED.match(part) else _rewritten(part, name) for part in parts)


def _rewritten(text: str, name: str) -> str:
    def rewrite(link: re.Match[str]) -> str:
        target = _resolve(name, link[1])
        if not (ROOT / target).exists():
            return link[0]  # mkdocs reports it
        relative = posixpath.relpath(_site_path(target), posixpath.dirname(_site_path(name)) or ".")
        return f"]({relative}{link[2] or ''})"

    return _LINK.sub(rewrite, text)
