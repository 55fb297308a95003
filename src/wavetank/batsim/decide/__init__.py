"""The decision process: a scheduler of wavetank decides for a Batsim at the other end of a socket."""
