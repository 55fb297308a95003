"""OpenAPI documents: which paths there are, what they take, and the fields of all types."""

from wavetank.apiserver.openapi.serving import OpenApi

__all__ = ["OpenApi"]
