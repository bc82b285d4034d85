"""COUNT, CLICK and SUBMIT: what is written is read back, and nothing else is read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosegen.geometry import Cell
from rosegen.protocol import Answer, format_clicks, format_count, format_submit, parse
from tests.core_maker import LAW

CELLS = st.lists(st.builds(Cell, st.integers(1, 40), st.integers(1, 40)), unique=True, max_size=9)


def test_the_three_forms() -> None:
    cells = [Cell(11, 2), Cell(1, 4)]
    assert format_count(3) == "COUNT(3)"
    assert format_clicks(cells) == "CLICK(R1,C4); CLICK(R11,C2); DONE"
    assert format_submit(cells) == "CLICK(R1,C4); CLICK(R11,C2); SUBMIT(2)"
    assert (format_clicks([]), format_submit([])) == ("DONE", "SUBMIT(0)")


@LAW
@given(CELLS)
def test_what_is_written_is_read_back(cells: list[Cell]) -> None:
    ordered = tuple(sorted(cells))
    assert parse(format_count(len(cells))) == Answer("COUNT", len(cells))
    assert parse(format_clicks(cells)) == Answer("CLICK", None, ordered)
    assert parse(format_submit(cells)) == Answer("CLICK_COUNT", len(cells), ordered)


@LAW
@given(CELLS, st.integers(0, 200), st.sampled_from("CRDONETSUBMI0;,() \n"))
def test_a_stray_character_is_never_overlooked(cells: list[Cell], at: int, stray: str) -> None:
    for text in (format_count(len(cells)), format_clicks(cells), format_submit(cells)):
        place = at % (len(text) + 1)
        spoilt = text[:place] + stray + text[place:]
        try:
            read = parse(spoilt)
        except ValueError:
            continue
        # Only a digit can be added to an answer and leave another answer.
        assert stray == "0"
        assert read != parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "COUNT()",
        "COUNT(03)",
        "COUNT(-1)",
        "COUNT(٣)",
        "count(3)",
        "COUNT(3)\n",
        "COUNT(3); DONE",
        "CLICK(R1,C1)",
        "CLICK(R1,C1);DONE",
        "CLICK(R0,C1); DONE",
        "CLICK(R1,C01); DONE",
        "DONE; CLICK(R1,C1)",
        "DONE; DONE",
        "CLICK(R1,C1); SUBMIT(01)",
        "SUBMIT(0); DONE",
        "```COUNT(3)```",
    ],
)
def test_what_is_not_of_the_grammar_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not a CLICK|is neither COUNT"):
        parse(text)
