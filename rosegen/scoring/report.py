"""A report to look at."""
