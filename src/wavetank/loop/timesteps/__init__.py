"""Batkube's time steps, and batsky-go's protocol."""
