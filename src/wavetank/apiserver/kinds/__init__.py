"""The kinds that the server serves: their names, verbs, subresources and schemas."""

from wavetank.apiserver.kinds.kind import Kind, Subresource
from wavetank.apiserver.kinds.table import KindTable

__all__ = ["Kind", "KindTable", "Subresource"]
