"""Tables for the terminal, charts and HTML pages of finished results."""
