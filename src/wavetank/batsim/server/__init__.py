"""The simulator: jobs run on machines as a scheduler at the other end of a socket decides."""
