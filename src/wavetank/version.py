"""The version of wavetank."""

from importlib.metadata import version

__version__ = version("wavetank")
