"""COUNT, CLICK and SUBMIT: what is written is read back, and every text gets a reading."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosegen.geometry import Cell
from rosegen.protocol import (
    MODES,
    Answer,
    Reading,
    answer_of,
    format_answer,
    format_clicks,
    format_count,
    format_submit,
    parse,
)
from tests.core_maker import LAW

CELL = st.builds(Cell, st.integers(0, 40) | st.integers(0), st.integers(0, 40) | st.integers(0))
CLICKS = st.lists(CELL, max_size=9).map(tuple)
NUMBER = st.integers(0, 99) | st.integers(0)
ANSWERS = st.one_of(
    st.builds(Answer, st.just("COUNT"), NUMBER),
    st.builds(Answer, st.just("CLICK"), st.none(), CLICKS),
    st.builds(Answer, st.just("CLICK_COUNT"), NUMBER, CLICKS),
)
# Text that is nearly an answer: pieces of the grammar, put together at random.
PIECES = (
    ["COUNT", "CLICK", "SUBMIT", "DONE", "count", "Click", "(", ")", ",", ";", "R", "C", "r", "c"]
    + ["0", "1", "12", "007", "-1", "１２", "٣", "9" * 30, " ", "\n", "\u3000", "\x1c", "ı", "ſ"]
    + ["R1,C1", "CLICK(R1,C1)", "CLICK(R2,C30); ", "SUBMIT(1)", "COUNT(3)", "```", "é", "\ud800"]
)
NEARLY = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)


def test_the_three_forms() -> None:
    cells = [Cell(11, 2), Cell(1, 4)]
    assert format_count(3) == "COUNT(3)"
    assert format_clicks(cells) == "CLICK(R1,C4); CLICK(R11,C2); DONE"
    assert format_submit(cells) == "CLICK(R1,C4); CLICK(R11,C2); SUBMIT(2)"
    assert (format_clicks([]), format_submit([])) == ("DONE", "SUBMIT(0)")


@LAW
@given(ANSWERS)
def test_what_is_written_is_read_back(answer: Answer) -> None:
    assert answer_of(parse(format_answer(answer), answer.mode), answer.mode) == answer


@LAW
@given(NEARLY | st.text(max_size=40), st.sampled_from(MODES))
def test_what_is_read_is_written_in_one_spelling(text: str, mode: str) -> None:
    answer = answer_of(parse(text, mode), mode)
    if answer is None:
        assert parse(text, mode).error
    else:
        spelt = format_answer(answer)
        assert answer_of(parse(spelt, mode), mode) == answer
        assert format_answer(answer) == spelt == " ".join(spelt.split())


@LAW
@given(
    st.one_of(st.text(), NEARLY, st.none(), st.integers(), st.floats(), st.binary(), st.booleans()),
    st.sampled_from(MODES) | st.text(max_size=5),
)
def test_every_text_gets_a_reading(text: object, mode: str) -> None:
    reading = parse(text, mode)
    assert reading.valid == (reading.error is None)
    assert not (reading.valid and reading.bad_tokens)
    assert reading.number is None or reading.number >= 0


def test_a_million_random_texts_get_a_reading() -> None:
    draw = random.Random(20260630)
    valid = 0
    for _ in range(1_000_000):
        text = "".join(draw.choices(PIECES, k=draw.randrange(1, 7)))
        reading = parse(text, MODES[draw.randrange(3)])
        valid += reading.valid
        assert reading.valid or reading.error in (
            "empty",
            "expected_COUNT_only",
            "missing_DONE",
            "missing_SUBMIT",
            "invalid_CLICK_token",
        )
    assert valid > 1_000  # the pieces do make answers, too


@pytest.mark.parametrize(
    "text",
    ["COUNT(" + " " * 100_000, "COUNT(" + "9" * 100_000, "CLICK(R1,C1);" * 20_000]
    + [";" * 100_000, "CLICK(R" + "1" * 50_000 + ",C" + "1" * 50_000 + "); DONE"],
)
def test_long_texts_are_read_in_linear_time(text: str) -> None:
    assert [parse(text, mode).valid for mode in MODES] == [False, False, False]


@pytest.mark.parametrize(
    ("text", "mode", "reading"),
    [
        ("count(4)", "COUNT", Reading(None, 4, (), ())),
        (" Count ( 007 )\n", "COUNT", Reading(None, 7, (), ())),
        ("COUNT(１２)", "COUNT", Reading(None, 12, (), ())),
        ("COUNT(٣)", "COUNT", Reading(None, 3, (), ())),
        (f"COUNT({2**70})", "COUNT", Reading(None, 2**70, (), ())),
        ("COUNT(3);", "COUNT", Reading("expected_COUNT_only", None, (), ("COUNT(3);",))),
        ("COUNT(-1)", "COUNT", Reading("expected_COUNT_only", None, (), ("COUNT(-1)",))),
        ("COUNT(²)", "COUNT", Reading("expected_COUNT_only", None, (), ("COUNT(²)",))),
        (None, "COUNT", Reading("empty", None, (), ())),
        ("\u3000\n", "CLICK", Reading("empty", None, (), ())),
        (";;", "CLICK", Reading("missing_DONE", None, (), ())),
        (";;", "CLICK_COUNT", Reading("empty", None, (), ())),
        (3, "COUNT", Reading("expected_COUNT_only", None, (), ("3",))),
        ("done", "CLICK", Reading(None, None, (), ())),
        (";; DONE ;", "CLICK", Reading(None, None, (), ())),
        ("CLICK(R7,C6);;DONE", "CLICK", Reading(None, None, (Cell(7, 6),), ())),
        ("click ( r 1 , c 2 ); DONE", "CLICK", Reading(None, None, (Cell(1, 2),), ())),
        ("CLıCK(R0,C0); DONE", "CLICK", Reading(None, None, (Cell(0, 0),), ())),
        ("DONE; DONE", "CLICK", Reading("invalid_CLICK_token", None, (), ("DONE",))),
        ("CLICK(R1,C1)", "CLICK", Reading("missing_DONE", None, (), ("CLICK(R1,C1)",))),
        (
            "CLICK(R1,C1); x; SUBMIT(2)",
            "CLICK_COUNT",
            Reading("invalid_CLICK_token", 2, (Cell(1, 1),), ("x",)),
        ),
        ("SUBMIT(0)", "CLICK_COUNT", Reading(None, 0, (), ())),
        (
            "CLICK(R1,C1); DONE",
            "CLICK_COUNT",
            Reading("missing_SUBMIT", None, (), ("CLICK(R1,C1)", "DONE")),
        ),
        ("COUNT(1)", "SAY", Reading("unknown_task_mode:SAY", None, (), ("COUNT(1)",))),
    ],
)
def test_odd_texts_are_read_as_rose_reads_them(text: object, mode: str, reading: Reading) -> None:
    assert parse(text, mode) == reading


def test_a_number_that_no_double_holds_is_no_count() -> None:
    assert parse(f"COUNT({10**308})", "COUNT").number == 10**308
    assert parse(f"COUNT({10**309})", "COUNT").error == "expected_COUNT_only"
    assert parse(f"SUBMIT({'9' * 5000})", "CLICK_COUNT").error == "missing_SUBMIT"
    assert parse(f"CLICK(R{'9' * 4000},C1); DONE", "CLICK").valid
    assert parse(f"CLICK(R{'9' * 5000},C1); DONE", "CLICK").error == "invalid_CLICK_token"
