"""Answers of `wavetank whatif` and `wavetank capacity`, for the terminal and as pages."""
