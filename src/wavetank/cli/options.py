"""Values of options that several commands have."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import click

from wavetank.cluster.manifests import load_documents, read_text
from wavetank.cluster.releases import Version
from wavetank.errors import InputError
from wavetank.experiments.document.schedulers import entry_of, parse_entries
from wavetank.scheduling.attachable import Attachable
from wavetank.simulation.latency.model import Latency, parse_latency
from wavetank.simulation.latency.presets import PRESETS

_Command = TypeVar("_Command", bound=Callable[..., Any])


def finite(_context: click.Context, _option: click.Parameter, value: float | None) -> float | None:
    """Refuses nan and inf, which click takes for numbers."""
    if value is not None and not math.isfinite(value):
        raise click.BadParameter(f"expected a number, got {value}")
    return value


def speed_option(text: str) -> Callable[[_Command], _Command]:
    """Returns the option --speed of a replay."""
    kind = click.FloatRange(min=0, min_open=True)
    return click.option("--speed", type=kind, default=1.0, show_default=True, callback=finite, help=text)


open_host = click.option(
    "--host", default="127.0.0.1", show_default=True, help="The address to listen on; there is no authentication."
)
ties_seed = click.option(
    "--seed", type=click.IntRange(min=0), default=1, show_default=True, help="The seed for ties between nodes."
)


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


def read_latency(text: str) -> Latency:
    """Reads --latency: the name of a preset, or a file with a latency model, as `wavetank fit` writes it."""
    path = Path(text)
    if text in PRESETS or not path.is_file():
        try:
            return parse_latency(text, "")
        except InputError as error:
            raise InputError(f"{error.message}, or a file", source="--latency") from None
    documents = load_documents(read_text(path), text)
    if len(documents) != 1:
        raise InputError(f"expected one document, found {len(documents)}", source=text)
    try:
        return replace(parse_latency(documents[0], ""), name=path.stem)
    except InputError as error:
        raise error.inside(source=text) from None
