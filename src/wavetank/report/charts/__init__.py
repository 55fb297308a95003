"""The charts of the report: NAME.py returns the data that assets/js/charts/NAME.js or assets/js/NAME draws."""
