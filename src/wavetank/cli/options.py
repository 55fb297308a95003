"""Values of options that several commands have."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click

from wavetank.cluster.manifests import load_documents
from wavetank.cluster.releases import Version
from wavetank.errors import InputError
from wavetank.experiments.document.schedulers import entry_of, parse_entries
from wavetank.scheduling.attachable import Attachable

_Command = TypeVar("_Command", bound=Callable[..., object])


def verbosity(command: _Command) -> _Command:
    """Adds --quiet and --verbose, which exclude each other."""
    verbose = click.option("-v", "--verbose", is_flag=True, callback=_not_both, help="Print more: every step.")
    quiet = click.option("-q", "--quiet", is_flag=True, callback=_not_both, help="Print only results and errors.")
    return quiet(verbose(command))


def _not_both(context: click.Context, _option: click.Parameter, value: bool) -> bool:
    if value and (context.params.get("quiet") or context.params.get("verbose")):
        raise click.UsageError("--quiet and --verbose exclude each other")
    return value


def finite(_context: click.Context, _option: click.Parameter, value: float | None) -> float | None:
    """Refuses nan and inf, which click takes for numbers."""
    if value is not None and not math.isfinite(value):
        raise click.BadParameter(f"expected a number, got {value}")
    return value


def read_scheduler(text: str, version: Version) -> tuple[Attachable, ...]:
    """Reads --scheduler: a name, a KubeSchedulerConfiguration, module:Class, or {an entry of an experiment}."""
    try:
        return parse_entries([_entry(text)], Path.cwd(), version)[0].schedulers
    except InputError as error:
        raise InputError(error.message, source="--scheduler") from None


def _entry(text: str) -> object:
    if not text.startswith("{"):
        return entry_of(text)
    (entry,) = load_documents(text, "--scheduler")
    return {"name": entry.get("policy", "scheduler"), **entry} if isinstance(entry, dict) else entry


def read_flags(text: str) -> dict[str, str]:
    """Reads name=value,name=value; dashes in front of a name are left out."""
    pairs = [part.strip().removeprefix("--").partition("=") for part in text.split(",") if part.strip()]
    return {name: value for name, _, value in pairs}
