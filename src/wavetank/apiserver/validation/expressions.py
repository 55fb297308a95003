"""CEL expressions that select devices."""

from __future__ import annotations

from wavetank.apiserver.fielderrors import invalid, too_long
from wavetank.apiserver.validation.errors import Errors
from wavetank.cel.syntax import ExpressionError
from wavetank.cluster.fields.deviceselectors import device_selector

_LONGEST = 10 * 1024


def check_expression(expression: str, path: str) -> Errors:
    """Checks an expression about a device."""
    if len(expression) > _LONGEST:
        yield too_long(path, _LONGEST)
        return
    try:
        device_selector(expression)
    except ExpressionError as error:
        yield invalid(path, expression, str(error))
