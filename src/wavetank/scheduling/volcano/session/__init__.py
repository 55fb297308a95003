"""One session: what plugins are asked, what actions do, and what is written at its end."""
