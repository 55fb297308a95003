"""The kinds that the server serves: how each is called, what may be done with it, what its documents look like."""

from wavetank.apiserver.kinds.kind import Kind, Subresource
from wavetank.apiserver.kinds.table import KindTable

__all__ = ["Kind", "KindTable", "Subresource"]
