"""Text from models and releases, made fit to be shown: short, and with nothing invisible in it."""

from __future__ import annotations

import unicodedata

# Controls, format characters (right-to-left marks are some), halves of surrogate pairs,
# code points without a character, and the two separators that break lines.
_HIDDEN = {"Cc", "Cf", "Cs", "Cn", "Zl", "Zp"}


def shown(text: object, limit: int = 2000) -> str:
    """The text on as many lines as it has, hidden characters spelt out as ``⟨U+202E⟩``.

    Args:
        text: anything; None is shown as nothing.
        limit: how many characters to show at most; how many there were is said behind them.
    """
    full = "" if text is None else str(text)
    part = full[:limit].replace("\r\n", "\n")
    spelt = "".join(character if _is_plain(character) else _spelt(character) for character in part)
    return spelt if len(full) <= limit else f"{spelt}… ({len(full):,} characters)"


def label(text: object, limit: int = 40) -> str:
    """The text on one line, cut to ``limit`` characters: for names in plots and headings."""
    line = " ".join(shown(text, 10 * limit).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def _is_plain(character: str) -> bool:
    return character in "\n\t" or unicodedata.category(character) not in _HIDDEN


def _spelt(character: str) -> str:
    return f"⟨U+{ord(character):04X}⟩"
