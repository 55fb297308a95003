"""`python -m wavetank` is `wavetank`."""

from wavetank.cli.main import main

main()
