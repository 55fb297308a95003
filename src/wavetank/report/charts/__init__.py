"""The charts of the report: NAME.py returns the data that assets/js/NAME.js (or NAME-….js) draws."""
