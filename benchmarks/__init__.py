"""Measured speed and memory of rosegen, as ratios against the obvious way: see README.md."""
