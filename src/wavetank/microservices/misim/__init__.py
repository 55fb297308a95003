"""Reads the files of MiSim and misim-orchestration."""
