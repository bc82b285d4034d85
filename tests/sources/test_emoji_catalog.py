"""What Unicode says of each emoji, from a file of three and from the whole pack."""

from __future__ import annotations

from pathlib import Path

import pytest

from rosegen.errors import RosegenError
from rosegen.sources.emoji_catalog import emoji_key, read_catalog
from tests.core_maker import EMOJI_NAMES_ZH, cached_pack, emoji_characters, open_pack


@pytest.mark.parametrize(
    ("code_points", "separator", "key"),
    [
        ("1F44D", "-", "1f44d"),
        ("0023-FE0F-20E3", "-", "23-20e3"),
        ("2764-FE0F", "-", "2764"),
        ("emoji_u1f468_200d_1f4bb".removeprefix("emoji_u"), "_", "1f468-200d-1f4bb"),
        ("00A9", "-", "a9"),
    ],
)
def test_one_key_however_the_code_points_are_spelled(
    code_points: str, separator: str, key: str
) -> None:
    assert emoji_key(code_points, separator) == key


def test_the_catalogue_is_in_unicodes_order_with_skin_tones(tmp_path: Path) -> None:
    catalog = read_catalog([emoji_characters(tmp_path)])
    assert list(catalog) == ["2764", "1f44d", "1f44d-1f3fb", "23-20e3"]
    heart, thumb, pale, hash_key = catalog.values()
    assert (heart.char, heart.name_en, heart.name_zh) == ("❤️", "heavy black heart", "红 心")
    assert (thumb.group, thumb.subgroup) == ("People & Body", "hand-fingers-closed")
    assert (thumb.has_skin_tone, pale.has_skin_tone) == (False, True)
    assert (pale.char, hash_key.char) == ("👍🏻", "#️⃣")
    assert hash_key.name_zh is None


def test_a_pipeline_without_emoji_data_says_which_pack_to_add(tmp_path: Path) -> None:
    fonts = open_pack(tmp_path, "fonts", {"faces": []}, {})
    with pytest.raises(RosegenError, match="add pack emoji-data"):
        read_catalog([fonts])


@pytest.mark.parametrize("data", ["no json", '[{"unified": "1F44D"}]', "[5]", "[[]]"])
def test_data_of_another_form_is_refused(data: str, tmp_path: Path) -> None:
    pack = open_pack(tmp_path, "characters", {"emoji_data": "e.json"}, {"e.json": data})
    with pytest.raises(RosegenError, match=r"asset pack tiny: e\.json"):
        read_catalog([pack])


@pytest.mark.parametrize("data", ["no json", "[1]", '{"a": 5}'])
def test_names_of_another_form_are_refused(data: str, tmp_path: Path) -> None:
    pack = open_pack(
        tmp_path,
        "characters",
        {"emoji_data": "e.json", "emoji_names_zh": "zh.json"},
        {"e.json": "[]", "zh.json": data},
    )
    with pytest.raises(RosegenError, match=r"asset pack tiny: zh\.json"):
        read_catalog([pack])


def test_the_shipped_data_knows_the_emoji() -> None:
    catalog = read_catalog([cached_pack("emoji-data"), cached_pack("emoji-names-zh")])
    plain = [emoji for emoji in catalog.values() if not emoji.has_skin_tone]
    assert len(plain) > 1700
    assert catalog["1f423"].name_en == "hatching chick"
    assert catalog["1f423"].name_zh
    named = sum(emoji.name_zh is not None for emoji in plain)
    assert named > 0.9 * len(plain)
    for key, emoji in catalog.items():
        spelled = "-".join(f"{ord(char):x}" for char in emoji.char if char != "\ufe0f")
        assert key == emoji.key == spelled
        assert emoji.group
        assert emoji.subgroup
    assert len(EMOJI_NAMES_ZH) == 2
