"""The entries under `schedulers` of an experiment that are Volcano."""

from __future__ import annotations

from pathlib import Path

from wavetank.cluster.manifests import read_text
from wavetank.documents import reading as fields
from wavetank.errors import InputError
from wavetank.experiments.document.fields import VOLCANO
from wavetank.kernel.durations import parse_duration
from wavetank.scheduling.volcano.config.conf import DEFAULT_CONF, VolcanoConf, parse_conf
from wavetank.scheduling.volcano.defects import DEFECTS, check_defects
from wavetank.scheduling.volcano.definition import VolcanoDefinition


def read_volcano(name: str, value: object, folder: Path) -> VolcanoDefinition:
    """Reads an entry: its configuration, the time between two sessions, and the defects that it shall not have."""
    given = fields.mapping(value if value is not None else {}, "", VOLCANO)
    period = parse_duration(given.get("period", 1), path="period")
    if not period:
        raise InputError("sessions need some time between them", path="period")
    strict, without = given.get("strict", True), fields.items(given["without"], "without") if "without" in given else []
    if not isinstance(strict, bool) or (not strict and without):
        raise InputError("expected true, or false without a list of defects", path="strict")
    names = check_defects([fields.text(each, "without") for each in without]) if strict else frozenset(DEFECTS)
    conf, source = _read_conf(given.get("conf", DEFAULT_CONF), folder)
    return VolcanoDefinition(name, f"Volcano with {source}", conf, period, names)


def _read_conf(value: object, folder: Path) -> tuple[VolcanoConf, str]:
    """Reads the text of a configuration, or the file that holds it."""
    text = fields.text(value, "conf")
    if "\n" in text:
        source = "its compiled-in configuration" if text == DEFAULT_CONF else "the given configuration"
        return parse_conf(text, "conf"), source
    path = folder / text
    return parse_conf(read_text(path), str(path)), path.name
