from __future__ import annotations


def with_tag(image: str) -> str:
    """Adds the tag that is meant when none is given."""
    return image if image.rfind(":") > image.rfind("/") else f"{image}:latest"
