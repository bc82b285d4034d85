"""``python -m rosegen``."""

from rosegen.cli import main

main()
