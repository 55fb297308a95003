"""JSON, YAML and protobuf as Go reads and writes them, by the schema of a document."""

from wavetank.apiserver.codec.canonical import canonical
from wavetank.apiserver.codec.pieces import encode

__all__ = ["canonical", "encode"]
