"""Strict reading of documents: typed fields, messages with paths, JSON Schema."""
