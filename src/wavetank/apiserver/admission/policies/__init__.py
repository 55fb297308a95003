"""Admission policies: CEL expressions that objects must satisfy."""
