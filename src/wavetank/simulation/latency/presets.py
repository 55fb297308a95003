"""The latency presets by name. Importing this table is cheap, so that the help of commands can list them."""

from __future__ import annotations

from collections.abc import Mapping

from wavetank.simulation.latency.k3s import K3S

IDEAL = "ideal"

PRESETS: Mapping[str, Mapping[str, object]] = {
    IDEAL: {},  # nothing takes time
    "k3s": K3S,
}
