"""Policies of installed packages are found by their entry points."""

import sys

import pytest

from wavetank.errors import InputError
from wavetank.scheduling.named import find_scheduler, named_schedulers

MODULE = '''
class Mine:
    """The node that I like."""

    def __init__(self, much=1):
        self.much = much

    def score(self, pod, node):
        return self.much


nothing = 3
'''


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Installs a package, with what its entry points say."""

    def install(entry_points):
        (tmp_path / "theirs.py").write_text(MODULE)
        info = tmp_path / "their_package-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: their-package\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[wavetank.schedulers]\n{entry_points}\n")
        monkeypatch.syspath_prepend(str(tmp_path))
        monkeypatch.delitem(sys.modules, "theirs", raising=False)

    return install


def test_it_is_listed_and_can_be_picked(package):
    package("mine = theirs:Mine")
    listed = named_schedulers()["mine"]
    assert (listed.kind, listed.formula, listed.source) == ("installed", "The node that I like", "their-package")
    definition = find_scheduler("mine", (1, 35), name="x", args={"much": 2})
    assert (definition.name, definition.description) == ("x", "The node that I like")


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("gone = theirs:Gone", "theirs:Gone cannot be imported: AttributeError"),
        ("gone = missing_module:Gone", "missing_module:Gone cannot be imported: ModuleNotFoundError"),
        ("gone = theirs:nothing", "theirs:nothing is not a class"),
    ],
)
def test_one_that_cannot_be_used_is_listed_with_the_reason_and_refused(package, entry, message):
    package(entry)
    assert named_schedulers()["gone"].formula.startswith(message)
    with pytest.raises(InputError, match=message):
        find_scheduler("gone", (1, 35))


def test_wrong_arguments_are_refused(package):
    package("mine = theirs:Mine")
    with pytest.raises(InputError, match="Mine cannot be created: TypeError"):
        find_scheduler("mine", (1, 35), args={"many": 2})


def test_names_are_unique_whatever_their_case(package):
    package("First-Fit = theirs:Mine")
    assert "First-Fit" not in named_schedulers()
    names = [name.lower() for name in named_schedulers()]
    assert len(names) == len(set(names))
