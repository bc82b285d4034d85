"""What a face's name says of its style."""

from __future__ import annotations

import pytest

from rosegen.replay.assets.face_style import FaceStyle, style_of


@pytest.mark.parametrize(
    ("name", "shape", "weight"),
    [
        ("SourceHanSansCN-ExtraLight", "sans", 200),
        ("SourceHanSansCN-Light", "sans", 300),
        ("SourceHanSansCN-Normal", "sans", 400),
        ("SourceHanSansCN-Medium", "sans", 500),
        ("SourceHanSansCN-Heavy", "sans", 900),
        ("GenRyuMinTW-Heavy", "serif", 900),
        ("GenYoMinTW-SemiBold", "serif", 600),
        ("GenWanMinTW-Regular", "serif", 400),
        ("TW-Sung-98_1", "serif", 400),
        ("TW-Kai-98_1", "kai", 400),
        ("simsun", "serif", 400),
        ("simfang", "serif", 400),
        ("simkai", "kai", 400),
        ("simhei", "sans", 400),
        ("msjh", "sans", 400),
        ("msjhbd", "sans", 700),
        ("msyhl", "sans", 300),
        ("Deng", "sans", 400),
        ("Dengb", "sans", 700),
        ("Dengl", "sans", 300),
        ("OPPOSans-B", "sans", 700),
        ("OPPOSans-R", "sans", 400),
        ("Alibaba-PuHuiTi-Bold", "sans", 700),
        ("NotoSansTamil-Regular@wght=700", "sans", 700),
        ("NotoSerifTamil-Bold@wdth=75,wght=250.5", "serif", 250),
        ("NotoSansTamil-Bold@wdth=75", "sans", 700),
        ("文泉驿正黑", "sans", 400),
        ("方正书宋", "serif", 400),
        ("华文楷体", "kai", 400),
        ("HiraMinProN-W3", "serif", 400),
        ("NotoSerifSC-Regular", "serif", 400),
        ("LXGWWenKai-Regular", "kai", 400),
        ("NotoSansCJKsc-Black", "sans", 900),
        ("", "sans", 400),
    ],
)
def test_a_name_tells_shape_and_weight(name: str, shape: str, weight: int) -> None:
    style = style_of(name)
    assert (style.shape, style.weight) == (shape, weight)


def test_shape_goes_before_weight_and_a_face_for_code_comes_last() -> None:
    wanted = FaceStyle("serif", 900)
    by_distance = sorted(
        [FaceStyle("sans", 900), FaceStyle("serif", 400), FaceStyle("kai", 900)],
        key=wanted.distance,
    )
    assert by_distance[0] == FaceStyle("serif", 400)
    assert style_of("MapleMono-NF-CN-Medium").fixed
    medium = style_of("SourceHanSansCN-Medium")
    assert medium.distance(style_of("NotoSansCJKsc-Medium")) < medium.distance(
        style_of("MapleMono-NF-CN-Medium")
    )
