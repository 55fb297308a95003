"""Files and generators, read into nodes and pods."""
