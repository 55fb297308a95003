"""Recorded scheduling attempts: explain.npz, written during a run and read afterwards."""
