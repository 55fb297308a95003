"""Nodes that are switched off and on."""
