"""Building programs for the loop, and listing them: what `wavetank scheduler` and `wavetank controller` share."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict

from wavetank.cli.console import console, errors, print_json
from wavetank.loop.building.build import Progress, build_program
from wavetank.loop.building.cache import Cache, Program
from wavetank.loop.building.overlay import make_overlay
from wavetank.loop.building.toolchain import find_toolchain
from wavetank.loop.recipes import FAMILIES

_PLAIN_EVERY_S = 15.0


def build_and_show(name: str, version: str | None, go: str | None, package: str | None, as_json: bool) -> None:
    """Builds a program, or those of a family, with its progress, and prints where it is."""
    toolchain = find_toolchain(go)
    make_overlay(toolchain)  # a toolchain that cannot be used is refused before anything is downloaded
    errors.print(f"building {name} with {toolchain.name} ({toolchain.command})", highlight=False)
    built: list[Program] = []
    for each in FAMILIES.get(name, (name,)):
        with _showing_progress() as tell:
            program = build_program(toolchain, each, version, package, Cache(), tell)
        built.append(program)
        if not as_json:
            console.print(f"{program.name} {program.version}: {program.file}", highlight=False, soft_wrap=True)
    if as_json:
        print_json(list(map(asdict, built)))


def list_programs(otherwise: str, as_json: bool) -> None:
    """Prints a table of all programs that were built, or what to do if there is none."""
    programs = Cache().list()
    if as_json:
        print_json([{**asdict(program), "current": program.current} for program in programs])
        return
    if not programs:
        console.print(f"none yet: {otherwise}", highlight=False)
        return
    rows = [("name", "version", "Kubernetes", "Go", "package", "file"), *map(_row, programs)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:  # lines may be longer than the terminal: names and paths stay whole
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        console.print("  ".join(cells).rstrip(), highlight=False, markup=False, soft_wrap=True)


def _row(program: Program) -> tuple[str, ...]:
    version = program.version if program.current else f"{program.version} (build again)"
    return program.name, version, program.release, program.go, program.package, program.file


@contextmanager
def _showing_progress() -> Iterator[Progress]:
    """Shows the progress of a build: a line that changes in a terminal, plain lines elsewhere."""
    begun = time.monotonic()
    if errors.is_terminal:
        with errors.status("") as status:
            yield lambda what, packages: status.update(_line(what, packages, begun))
        return
    last = begun - _PLAIN_EVERY_S

    def tell(what: str, packages: int) -> None:
        nonlocal last
        if time.monotonic() - last >= _PLAIN_EVERY_S:
            last = time.monotonic()
            errors.print(_line(what, packages, begun), highlight=False, soft_wrap=True)

    yield tell


def _line(what: str, packages: int, begun: float) -> str:
    compiled = f", {packages} packages" if packages else ""
    return f"{what}{compiled} ({time.monotonic() - begun:.0f} s)"
