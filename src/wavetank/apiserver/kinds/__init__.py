from wavetank.apiserver.kinds.kind import Kind, Subresource
from wavetank.apiserver.kinds.schema import Schema, Structure
from wavetank.apiserver.kinds.table import KindTable

__all__ = ["Kind", "KindTable", "Schema", "Structure", "Subresource"]
