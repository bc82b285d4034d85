"""The measures, held against the libraries whose definitions they follow."""

from __future__ import annotations

import imagehash
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from scipy.fft import dct
from skimage.color import rgb2lab
from skimage.metrics import structural_similarity

from rosegen.sources.similarity import (
    CHANGED_STEP,
    MEASURES,
    lab,
    luma,
    measure,
    phash_bits,
    similarity,
    ssim,
    ssim_of_tiles,
)
from tests.core_maker import LAW, noise

Pixels = npt.NDArray[np.uint8]


def drawn(seed: int, side: int = 48) -> Pixels:
    """A tile like a real one: a few flat shapes on white, and a spot that the seed places."""
    rng = np.random.default_rng(seed)
    tile = np.full((side, side, 3), 255, np.uint8)
    y, x = np.mgrid[:side, :side]
    tile[(y - side / 2) ** 2 + (x - side / 2) ** 2 < (side * 0.4) ** 2] = (250, 200, 60)
    at = rng.integers(side // 4, side // 2, 2)
    tile[at[0] : at[0] + side // 8, at[1] : at[1] + side // 6] = (40, 30, 90)
    return tile


def flat(value: int, side: int = 48) -> Pixels:
    return np.full((side, side, 3), value, np.uint8)


def blended(seed: int, side: int = 40) -> Pixels:
    """Smooth noise, as a photograph has it."""
    small = Image.fromarray(noise(seed, 6, 6, 3))
    return np.asarray(small.resize((side, side), Image.Resampling.BICUBIC))


PAIRS = {
    "noise": (noise(0, 48, 48, 3), noise(1, 48, 48, 3)),
    "noise, oblong": (noise(2, 30, 61, 3), noise(3, 30, 61, 3)),
    "smallest": (noise(4, 7, 7, 3), noise(5, 7, 7, 3)),
    "drawn": (drawn(0), drawn(1)),
    "drawn, large": (drawn(2, 150), drawn(3, 150)),
    "drawn, larger than int32 sums allow": (drawn(2, 200), drawn(3, 200)),
    "smooth": (blended(6), blended(7)),
    "equal": (drawn(4), drawn(4)),
    "inverse": (drawn(5), 255 - drawn(5)),
    "flat": (flat(128), flat(131)),
    "black and white": (flat(0, 190), flat(255, 190)),
    "flat and drawn": (flat(255), drawn(6)),
}


@pytest.mark.parametrize("name", PAIRS)
def test_ssim_is_scikit_images(name: str) -> None:
    a, b = (luma(tile) for tile in PAIRS[name])
    theirs = structural_similarity(a, b, data_range=255)
    assert ssim(a[None], b[None])[0] == pytest.approx(theirs, abs=1e-9)
    assert measure(*PAIRS[name]).ssim == pytest.approx(theirs, abs=6e-7)


def test_ssim_of_many_is_that_of_each() -> None:
    pairs = [(drawn(k), drawn(k + 1)) for k in range(7)]
    assert ssim_of_tiles(pairs, batch=3) == [measure(a, b).ssim for a, b in pairs]


def test_luma_is_bt_601_rounded() -> None:
    pixels = noise(8, 40, 40, 3)
    exact = (pixels * np.array([0.299, 0.587, 0.114])).sum(axis=-1)
    assert np.abs(luma(pixels) - exact).max() <= 0.5 + 1e-9


@pytest.mark.parametrize("name", PAIRS)
def test_perceptual_hash_is_imagehashs(name: str) -> None:
    a, b = (imagehash.phash(Image.fromarray(tile)) for tile in PAIRS[name])
    assert measure(*PAIRS[name]).phash_distance == a - b
    assert np.array_equal(phash_bits(PAIRS[name][0]), a.hash)


@LAW
@given(st.integers(0, 10**6), st.integers(8, 70))
def test_no_bit_of_the_hash_is_on_the_wrong_side_of_the_median(seed: int, side: int) -> None:
    tile = noise(seed, side, side, 3) if seed % 2 else drawn(seed, side + 16)
    grey = Image.fromarray(tile).convert("L").resize((32, 32), Image.Resampling.LANCZOS)
    low = dct(dct(np.asarray(grey, float), axis=0), axis=1)[:8, :8]
    clear = np.abs(low - np.median(low)) > 0.05  # nearer ones are decided by rounding
    assert np.array_equal(phash_bits(tile)[clear], (low > np.median(low))[clear])


def test_lab_is_scikit_images() -> None:
    grid = np.stack(np.meshgrid(*[np.arange(0, 256, 15, dtype=np.uint8)] * 3), axis=-1)
    pixels = np.concatenate([grid.reshape(1, -1, 3), noise(9, 1, 500, 3)], axis=1)
    assert lab(pixels) == pytest.approx(rgb2lab(pixels), abs=1e-9)


@pytest.mark.parametrize("name", PAIRS)
def test_local_and_mean_colour_difference_by_looking_at_every_window(name: str) -> None:
    a, b = PAIRS[name]
    step = rgb2lab(a) - rgb2lab(b)
    size = max(2, round(min(a.shape[:2]) / 10))
    largest = max(
        float(np.linalg.norm(step[y : y + size, x : x + size].mean(axis=(0, 1))))
        for y in range(a.shape[0] - size + 1)
        for x in range(a.shape[1] - size + 1)
    )
    got = measure(a, b)
    assert got.max_local_color_difference == pytest.approx(largest, abs=2e-3)
    mean = float(np.linalg.norm(step.mean(axis=(0, 1))))
    assert got.mean_color_difference == pytest.approx(mean, abs=1e-3)


@pytest.mark.parametrize("name", PAIRS)
def test_changed_share_and_ink_by_counting(name: str) -> None:
    a, b = PAIRS[name]
    got = measure(a, b, background=(255, 250, 0))
    total = a.shape[0] * a.shape[1]
    changed, ink = 0, [0, 0]
    for one, other in zip(a.reshape(-1, 3).tolist(), b.reshape(-1, 3).tolist()):
        changed += any(abs(x - y) > CHANGED_STEP for x, y in zip(one, other))
        for which, color in enumerate((one, other)):
            ink[which] += any(abs(x - y) > CHANGED_STEP for x, y in zip(color, (255, 250, 0)))
    assert got.changed_pixel_share == pytest.approx(changed / total, abs=6e-7)
    expected = abs(ink[0] - ink[1]) / max(*ink, 1)
    assert got.ink_difference == pytest.approx(expected, abs=6e-7)


@LAW
@given(st.integers(0, 10**6), st.integers(0, 10**6), st.integers(7, 40))
def test_measures_keep_their_ranges_and_do_not_care_which_tile_comes_first(
    one: int, other: int, side: int
) -> None:
    a, b = noise(one, side, side, 3), noise(other, side, side, 3)
    got = measure(a, b)
    assert measure(b, a) == got
    assert list(got.as_dict())[: len(MEASURES)] == list(MEASURES)
    assert -1 <= got.ssim <= 1
    assert 0 <= got.phash_distance <= 64
    assert 0 <= got.changed_pixel_share <= 1
    assert 0 <= got.ink_difference <= 1
    assert 0 <= similarity(a, b) <= 1
    same = measure(a, a)
    assert tuple(same.as_dict().values()) == (1, 0, 0, 0, 0, 0)
    assert similarity(a, a) == 1


def test_similarity_is_the_cosine_of_thumbnails_of_ink() -> None:
    a, b = drawn(0, 64), drawn(1, 64)
    for paper in ((255, 255, 255), (250, 200, 60)):
        first, second = (
            np.abs(t.reshape(16, 4, 16, 4, 3).mean(axis=(1, 3)).round() - paper).ravel()
            for t in (a, b)
        )
        cosine = first @ second / (np.linalg.norm(first) * np.linalg.norm(second))
        assert similarity(a, b, paper) == pytest.approx(cosine, abs=1e-3)


def test_similarity_of_tiles_without_ink() -> None:
    assert similarity(flat(255), flat(255)) == 1.0
    assert similarity(flat(255), drawn(0)) == 0.0


@pytest.mark.parametrize("shapes", [((8, 8, 3), (8, 9, 3)), ((6, 9, 3),) * 2, ((8, 8),) * 2])
def test_tiles_that_cannot_be_compared_are_refused(shapes: tuple[tuple[int, ...], ...]) -> None:
    a, b = (np.zeros(shape, np.uint8) for shape in shapes)
    with pytest.raises(ValueError, match="cannot compare tiles of shapes"):
        measure(a, b)
