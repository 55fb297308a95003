"""The pods of a finished run as columns."""
