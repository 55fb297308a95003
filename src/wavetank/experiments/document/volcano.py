"""The entries under `schedulers` of an experiment that are Volcano."""

from __future__ import annotations

from pathlib import Path

from wavetank.cluster.manifests import read_text
from wavetank.experiments.document.structures.schedulers import VolcanoSpec
from wavetank.scheduling.volcano.config.conf import DEFAULT_CONF, VolcanoConf, parse_conf
from wavetank.scheduling.volcano.defects import DEFECTS, check_defects
from wavetank.scheduling.volcano.definition import VolcanoDefinition


def define_volcano(name: str, spec: VolcanoSpec, folder: Path) -> VolcanoDefinition:
    """Returns a Volcano with its configuration, the time between sessions, and the defects that it shall not have."""
    without = check_defects(spec.without or ()) if spec.strict else frozenset(DEFECTS)
    conf, source = _read_conf(spec.conf or DEFAULT_CONF, folder)
    return VolcanoDefinition(name, f"Volcano with {source}", conf, spec.period, without)


def _read_conf(text: str, folder: Path) -> tuple[VolcanoConf, str]:
    """Reads the text of a configuration, or the file that holds it."""
    if "\n" in text:
        source = "its compiled-in configuration" if text == DEFAULT_CONF else "the given configuration"
        return parse_conf(text, "conf"), source
    path = folder / text
    return parse_conf(read_text(path), str(path)), path.name
