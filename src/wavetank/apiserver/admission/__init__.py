"""What the server adds to, or refuses of, what clients write, beyond the rules of the kind itself."""
