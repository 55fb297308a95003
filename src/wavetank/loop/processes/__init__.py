"""Programs in the loop: their definition, configuration, start and end."""
