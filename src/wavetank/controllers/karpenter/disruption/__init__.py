"""Voluntary disruption: empty nodes, consolidation of several and of single nodes."""
