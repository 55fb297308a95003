"""What was built is kept, found by name and version, and listed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from wavetank.errors import InputError
from wavetank.loop.building.build import artefact_of
from wavetank.loop.building.cache import Cache, Program
from wavetank.loop.building.module import parse_release
from wavetank.loop.building.toolchain import BuildError
from wavetank.loop.recipes import recipe_of


def kept(
    cache: Cache,
    folder: Path,
    name: str = "kube-scheduler",
    version: str = "v1.35.8",
    go: str = "go1.26.8",
    package: str = "k8s.io/kubernetes/cmd/kube-scheduler",
) -> Program:
    built = folder / "new"
    built.write_text("#!")
    return cache.keep(built, Program(name, version, go, package, str(built)))


def test_a_program_is_found_by_name_and_version(tmp_path):
    cache = Cache(tmp_path / "cache")
    program = kept(cache, tmp_path)
    assert cache.find("kube-scheduler", "v1.35.8") == program
    assert program.path.name == "kube-scheduler"
    assert not (tmp_path / "new").exists()


def test_what_is_not_there_says_how_to_build_it(tmp_path):
    with pytest.raises(InputError, match=r"wavetank scheduler build kube-scheduler --version v1\.36\.4"):
        Cache(tmp_path).find("kube-scheduler", "v1.36.4")


def test_a_program_with_another_virtual_time_is_to_be_built_again(tmp_path, monkeypatch):
    cache = Cache(tmp_path / "cache")
    kept(cache, tmp_path)
    monkeypatch.setattr("wavetank.loop.building.cache.clock_version", lambda: "another")
    with pytest.raises(InputError, match="built by another version of wavetank, build it again: wavetank"):
        cache.find("kube-scheduler", "v1.35.8")


def test_a_program_of_a_folder_is_built_again_from_its_folder(tmp_path, monkeypatch):
    cache = Cache(tmp_path / "cache")
    kept(cache, tmp_path, "mine", package=".")
    monkeypatch.setattr("wavetank.loop.building.cache.clock_version", lambda: "another")
    with pytest.raises(InputError, match="build it again: wavetank controller build mine --package FOLDER"):
        cache.find("mine", "v1.35.8", "controller")


def test_programs_are_listed_by_version_and_broken_ones_left_out(tmp_path):
    cache = Cache(tmp_path / "cache")
    for version in ("v1.36.4", "v1.9.1", "v1.35.8"):
        kept(cache, tmp_path, version=version)
    kept(cache, tmp_path, name="other").path.unlink()
    broken = cache.programs / "broken"
    broken.mkdir()
    (broken / "program.json").write_text("{")
    assert [program.version for program in cache.list()] == ["v1.9.1", "v1.35.8", "v1.36.4"]


def test_the_folder_is_that_of_the_user(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert Cache().folder == tmp_path / "wavetank"


@pytest.mark.parametrize(("text", "version"), [("v1.35.8", "v1.35.8"), ("1.36.4", "v1.36.4")])
def test_a_version_is_read(text, version):
    assert parse_release(text) == version


@pytest.mark.parametrize("text", ["1.35", "latest", "v2.0.0", ""])
def test_a_version_that_is_none(text):
    with pytest.raises(BuildError, match=r"expected a Kubernetes version such as v1\.35\.8"):
        parse_release(text)


def hold(folder: Path, artefact: str) -> subprocess.Popen[bytes]:
    """Starts a process that builds an artefact until it is killed."""
    program = (
        "import sys, time; from pathlib import Path; from wavetank.loop.building.cache import Cache\n"
        "with Cache(Path(sys.argv[1])).locked(sys.argv[2], print):\n    print('building', flush=True); time.sleep(600)"
    )
    process = subprocess.Popen([sys.executable, "-c", program, str(folder), artefact], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"building\n"
    return process


def test_a_build_waits_for_one_of_the_same_artefact_and_says_for_which_process(tmp_path):
    waited: list[str] = []
    other = hold(tmp_path, "kube-scheduler-v1.35.8")

    def waits(whom: str) -> None:
        waited.append(whom)
        other.kill()

    try:
        with Cache(tmp_path).locked("volcano-v1.15.0", pytest.fail):
            pass
        with Cache(tmp_path).locked("kube-scheduler-v1.35.8", waits):
            pass
    finally:
        other.kill()
        other.communicate()
    (line,) = waited
    assert line.startswith(f"waiting for the build of kube-scheduler-v1.35.8 by process {other.pid}, since 2")


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        pytest.param(("kueue", None, None), ("kueue", recipe_of("kueue").version, None), True, id="the usual version"),
        pytest.param(("kube-scheduler", "1.35.8", None), ("kube-scheduler", "v1.35.8", None), True, id="with a v"),
        pytest.param(("kube-scheduler", "1.35.8", None), ("kube-scheduler", "1.36.4", None), False, id="two releases"),
        pytest.param(("s", None, "./a"), ("s", None, "a"), True, id="a folder"),
        pytest.param(("s", None, "./a"), ("s", None, "./b"), False, id="two folders"),
        pytest.param(("s", "1.35.8", "x.io/s@v1.0.0"), ("s", "1.35.8", "x.io/s@v1.1.0"), False, id="two modules"),
    ],
)
def test_only_builds_of_the_same_thing_wait_for_each_other(first, second, same):
    assert (artefact_of(*first) == artefact_of(*second)) is same
