"""Errors meant for the person at the keyboard."""

from __future__ import annotations


class RosegenError(Exception):
    """Something the user can mend: a bad call, a bad file, a missing pack, a full disk.

    The message is one line that says what is wrong, where (file and line, or item id), and what
    to do about it. The command line prints it without a traceback and exits with 2.
    """


class Terminated(BaseException):
    """SIGTERM, as timeout, docker stop and systemd send it."""
