"""Published studies, repeated claim by claim."""
