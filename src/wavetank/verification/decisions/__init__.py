"""Replays recorded scheduling attempts (`golden`)."""
