"""Which characters a spec means, and what is said of one that means nothing."""

from __future__ import annotations

import unicodedata

import pytest
from fontTools.unicodedata import script
from hypothesis import given
from hypothesis import strategies as st

from rosegen.errors import RosegenError
from rosegen.sources.character_sets import gb2312_hanzi, of_face, read_spec
from tests.core_maker import LAW

LATIN = {*map(ord, "AZaz09é")}
EVERY = frozenset(range(0x110000))


def chars(spec: str, mapped: str) -> str:
    """What a face of these characters gives, in order."""
    return "".join(map(chr, sorted(of_face(read_spec(spec), map(ord, mapped)))))


@pytest.mark.parametrize(
    ("spec", "mapped", "given"),
    [
        ("абв", "аб", "абв"),  # named one by one: the face must have them
        ("а б\tв", "", "абв"),
        ("U+0416", "", "Ж"),
        ("u+1F600", "", "😀"),
        ("U+0430-U+0433", "абвжЖ", "абв"),
        ("script:Cyrillic", "жzЖ字", "Жж"),
        ("script:cyrl", "жzЖ字", "Жж"),
        ("Script: old_italic", "a𐌀", "𐌀"),
        ("script:Han", "国カ国", "国"),
        ("block:Mathematical Operators", "+∑√→", "∑√"),
        ("block:mathematical-operators", "∑", "∑"),
        ("category:Lu", "aAбБ1", "AБ"),
        ("category:L", "aA1国", "Aa国"),
        ("category:Nd", "7½٣", "7٣"),
        ("category:Co", "a\ue000", "\ue000"),
        ("gb2312", "国國a", "国"),
        ("GB2312", "国", "国"),
        ("::", "", ":"),
        ("a:", "", ":a"),
        ("script:Greek", "abc", ""),
    ],
)
def test_a_spec_gives_its_characters(spec: str, mapped: str, given: str) -> None:
    assert chars(spec, mapped) == given


def test_gb_2312_has_6763_hanzi_in_its_own_order() -> None:
    hanzi = gb2312_hanzi()
    assert len(hanzi) == len(set(hanzi)) == 6763
    assert (hanzi[0], hanzi[3754], hanzi[3755], hanzi[-1]) == ("啊", "座", "亍", "齄")
    assert all("一" <= char <= "龥" for char in hanzi)
    assert of_face(read_spec("gb2312"), EVERY) == {*map(ord, hanzi)}


def test_what_nobody_can_see_is_left_out_of_a_set_but_not_of_a_run() -> None:
    unseen = "\u0007\u200d\u00ad\u0378\ufffe"
    assert chars("U+0000-U+FFFF", unseen + "a\ue000") == "a\ue000"
    assert chars("block:General Punctuation", "\u200d\u2020") == "\u2020"
    assert chars("U+200D", "") == "\u200d"


@LAW
@given(st.sampled_from(["Latn", "Grek", "Arab", "Deva", "Thai", "Hang", "Zinh", "Zyyy"]))
def test_a_script_is_all_that_has_it_and_nothing_else(code: str) -> None:
    points = range(0x3000)
    found = of_face(read_spec(f"script:{code}"), points)
    unseen = ("Cc", "Cf")
    assert found == {
        p for p in points if script(chr(p)) == code and unicodedata.category(chr(p)) not in unseen
    }


@LAW
@given(st.integers(0, 0x10FFFF), st.integers(0, 0x10FFFF))
def test_a_range_holds_its_ends_and_nothing_outside(low: int, high: int) -> None:
    low, high = min(low, high), max(low, high)
    chosen = read_spec(f"U+{low:04X}-U+{high:04X}")
    assert chosen.named is None
    assert chosen.holds(low)
    assert chosen.holds(high)
    assert not chosen.holds(low - 1)
    assert not chosen.holds(high + 1)


@LAW
@given(st.text(st.characters(exclude_categories=["Z", "C"], min_codepoint=0x80), min_size=1))
def test_a_run_of_characters_means_itself(text: str) -> None:
    assert read_spec(text).named == {*map(ord, text)}


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("script:Devangari", "Unicode has no script 'Devangari' (near: Devanagari"),
        ("script:Hans", "no script 'Hans' (near: "),
        ("block:Mathematical Operator", "(near: Mathematical Operators"),
        ("block:No_Block", "Unicode has no block 'No_Block'"),
        ("category:Xx", "Unicode has no category 'Xx'"),
        ("category:lu", "Unicode has no category 'lu' (near: L"),
        ("category:Cf", "none of them can be seen"),
        ("scripts:Greek", "there is no 'scripts' to choose by (known: script, block, category)"),
        ("U+09", "write U+0905, or a range"),
        ("U+0939-U+0905", "from the lower to the higher"),
        ("U+0905-0939", "write U+0905, or a range"),
        ("U+110000", "write U+0905, or a range"),
        ("  ", "names none: write"),
    ],
)
def test_a_spec_that_means_nothing_is_refused_in_one_line(spec: str, message: str) -> None:
    with pytest.raises(RosegenError) as caught:
        read_spec(spec)
    assert message in str(caught.value)
    assert repr(spec) in str(caught.value)
    assert "\n" not in str(caught.value)
