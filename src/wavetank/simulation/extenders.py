from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wavetank.scheduling.framework.extenders.extenders import ExtenderClient


def connect_extender(config: Mapping[str, Any]) -> ExtenderClient:
    """Returns the client of an extender; HTTP and TLS are imported only here, since few runs need them."""
    from wavetank.loop.extenders.client import HttpExtenderClient

    return HttpExtenderClient(config)
