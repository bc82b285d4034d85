"""The sheet, in a real Chromium: keys, what is remembered, what is saved, and what cannot harm."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import rosegen.curation
from rosegen.curation import mine_pairs, show_pairs
from rosegen.pair_list import read_pair_list, write_pair_list
from tests.curation.browser import CHROMIUM, Browser
from tests.curation.maker import decided, pipeline, several, spot

pytestmark = [
    pytest.mark.usefixtures("spots"),
    pytest.mark.skipif(CHROMIUM is None, reason="needs chromium on the PATH"),
]

HOSTILE = (
    '</script><script>document.title = "broken into"</script><img src=x onerror=alert(1)> '
    "\"' {{ 7 * 7 }} \u202egnp.exe\u202c \u2028 \x07 &lt; =1+1"
)


SAID = "document.getElementById('said').textContent"


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """One browser for all tests of this file."""
    with Browser(tmp_path_factory.mktemp("downloads")) as browser:
        yield browser


@pytest.fixture
def browser(started: Browser) -> Browser:
    """The browser, as new."""
    started.open(Path("/"))  # what stands open would be remembered as it is left
    started.forget()
    return started


@pytest.fixture
def sheet(tmp_path: Path) -> Path:
    """The sheet of a list of eight pairs, k00 to k07 in the list's own order."""
    mine_pairs(pipeline(tmp_path, [spot(n) for n in range(8)]), tmp_path / "pairs.csv", workers=1)
    return shown(tmp_path)


def shown(folder: Path, name: str = "pairs.csv", **options: Any) -> Path:
    out = folder / "sheet.html"
    show_pairs(folder / "spots.yaml", folder / name, out, workers=1, **options)
    return out


def open_whole(browser: Browser, page: Path) -> None:
    """Open a short sheet, and wait until all of its cards are drawn."""
    browser.open(page)
    browser.wait_until(
        "[...document.querySelectorAll('article')].every((card) => card.childElementCount)"
    )


def current(browser: Browser) -> int:
    """The number of the pair that has the focus."""
    label = browser.run("document.activeElement.getAttribute('aria-label') ?? ''")
    return int(re.fullmatch(r"Pair (\d+): .*", label, re.DOTALL)[1])


def counts(browser: Browser) -> str:
    return str(browser.run("document.getElementById('progress').getAttribute('aria-label')"))


def said(browser: Browser) -> str:
    return str(browser.run(SAID))


def marked(browser: Browser) -> int:
    """In how many grids the exception stands out."""
    return int(
        browser.run(
            "[...document.querySelectorAll('.scene i')]"
            ".filter((cell) => getComputedStyle(cell).outlineStyle !== 'none').length"
        )
    )


def saved(browser: Browser, name: str = "pairs.csv") -> Path:
    browser.press("s")
    path = browser.downloaded(name)
    return path.rename(path.with_name("saved.csv"))


def verdicts(path: Path) -> list[str]:
    return [pair.verdict for pair in read_pair_list(path)]


def test_keys_move_from_pair_to_pair(browser: Browser, sheet: Path) -> None:
    browser.open(sheet)
    visited = [current(browser)]
    for key in ("j", "ArrowDown", "k", "ArrowUp", "ArrowUp", "End", "j", "Home"):
        browser.press(key)
        visited.append(current(browser))
    assert visited == [1, 2, 3, 2, 1, 1, 8, 8, 1]
    inside = browser.run(
        "(() => { const box = document.activeElement.getBoundingClientRect();"
        " return box.top >= 0 && box.bottom <= innerHeight })()"
    )
    assert inside


def test_verdicts_go_to_the_pair_at_hand_and_can_be_taken_back(
    browser: Browser, sheet: Path
) -> None:
    browser.open(sheet)
    browser.press("a", "r", "a")
    assert current(browser) == 4
    assert counts(browser) == "2 accepted, 1 refused, 5 undecided of 8"
    browser.press("u")  # nothing is decided here: the last verdict goes
    assert (current(browser), counts(browser)) == (3, "1 accepted, 1 refused, 6 undecided of 8")
    browser.press("Home", "u")
    assert (current(browser), counts(browser)) == (1, "0 accepted, 1 refused, 7 undecided of 8")
    browser.press("u", "u")
    assert counts(browser) == "0 accepted, 0 refused, 8 undecided of 8"
    assert said(browser) == "No verdict to take back"


def test_the_exception_is_marked_only_while_one_asks(browser: Browser, sheet: Path) -> None:
    browser.open(sheet)
    assert marked(browser) == 0
    for key in ("w", " "):
        browser.hold(key)
        assert marked(browser) == 1
        browser.release(key)
        assert marked(browser) == 0
    place = browser.run(
        "(() => { const box = [...document.querySelectorAll('.current button')].at(-1)"
        ".getBoundingClientRect(); return [box.x + 5, box.y + 5] })()"
    )
    browser.order("Input.dispatchMouseEvent", type="mouseMoved", x=place[0], y=place[1])
    assert marked(browser) == 1
    browser.order("Input.dispatchMouseEvent", type="mouseMoved", x=1, y=1)
    assert marked(browser) == 0


def test_the_exception_sits_elsewhere_in_other_grids(browser: Browser, sheet: Path) -> None:
    open_whole(browser, sheet)
    places = browser.run(
        "[...document.querySelectorAll('.scene i')].map((c) => c.style.left + c.style.top)"
    )
    assert len(places) == 8
    assert len(set(places)) > 3


def test_majority_and_exception_can_be_swapped(browser: Browser, sheet: Path) -> None:
    browser.open(sheet)
    ask = "document.querySelector('.current .scene').style.backgroundImage"
    cell = ask.replace(".scene", ".scene i")
    majority, exception = browser.run(ask), browser.run(cell)
    assert majority != exception
    browser.press("x")
    assert (browser.run(ask), browser.run(cell)) == (exception, majority)
    browser.press("x")
    assert (browser.run(ask), browser.run(cell)) == (majority, exception)


def test_a_filter_leaves_the_pairs_of_one_kind(browser: Browser, sheet: Path) -> None:
    browser.open(sheet)
    browser.press("a", "r", "a")
    listed = "[...document.querySelectorAll('article:not([hidden])')].length"
    left = []
    for _ in range(4):
        browser.press("f")
        left.append(browser.run(listed))
    assert left == [5, 2, 1, 8]
    browser.press("f", "a", "a")  # the undecided: a verdict does not make them jump
    assert browser.run(listed) == 5
    assert counts(browser) == "4 accepted, 1 refused, 3 undecided of 8"


def test_an_untouched_list_is_saved_as_it_is(browser: Browser, sheet: Path) -> None:
    browser.open(sheet)
    assert saved(browser).read_bytes() == sheet.with_name("pairs.csv").read_bytes()


def test_the_saved_file_is_the_list_with_verdicts_and_notes(browser: Browser, sheet: Path) -> None:
    browser.open(sheet)
    browser.press("a", "r", "n")
    browser.type('so, "so" is it')
    browser.press("Enter", "j", "a", "n")
    browser.type("forgotten")
    browser.press("Escape")
    path = saved(browser)
    assert verdicts(path) == ["accept", "refuse", "", "accept", "", "", "", ""]
    assert [p.note for p in read_pair_list(path)] == ["", "", 'so, "so" is it', *[""] * 5]
    before, after = (read_pair_list(p) for p in (sheet.with_name("pairs.csv"), path))
    for old, new in zip(before, after, strict=True):
        assert {**new.columns, "verdict": None, "note": None} == old.columns


def test_letters_typed_into_a_note_are_no_verdicts(browser: Browser, sheet: Path) -> None:
    browser.open(sheet)
    browser.press("n", "a", "r", "s", "?")
    assert counts(browser) == "0 accepted, 0 refused, 8 undecided of 8"
    assert browser.run("document.activeElement.value") == "ars?"


def test_verdicts_are_there_again_when_the_page_is_opened_again(
    browser: Browser, sheet: Path
) -> None:
    browser.open(sheet)
    browser.press("a", "r", "n")
    browser.type("hm")
    browser.open(sheet)
    assert counts(browser) == "1 accepted, 1 refused, 6 undecided of 8"
    assert said(browser) == "3 changes of last time are here again; press ? for the keys"
    assert current(browser) == 3
    assert read_pair_list(saved(browser))[2].note == "hm"


def test_verdicts_of_one_list_do_not_show_up_in_another(browser: Browser, sheet: Path) -> None:
    browser.open(sheet)
    browser.press("a", "a")
    decided(sheet.with_name("pairs.csv"), {"k07": "refuse"})
    browser.open(shown(sheet.parent))
    assert counts(browser) == "0 accepted, 1 refused, 7 undecided of 8"


def test_a_browser_that_remembers_nothing_still_saves(browser: Browser, sheet: Path) -> None:
    script = browser.order(
        "Page.addScriptToEvaluateOnNewDocument",
        source="Object.defineProperty(window, 'localStorage',"
        " { get() { throw new DOMException('no', 'SecurityError') } })",
    )
    try:
        browser.open(sheet)
        assert said(browser).startswith("This browser keeps nothing")
        browser.press("a", "r")
        assert verdicts(saved(browser)) == ["accept", "refuse", *[""] * 6]
        assert browser.complaints() == []
    finally:
        browser.order("Page.removeScriptToEvaluateOnNewDocument", **script)


def test_a_saved_file_can_be_loaded_to_go_on_from_it(
    browser: Browser, sheet: Path, tmp_path: Path
) -> None:
    browser.open(sheet)
    browser.press("a", "r")
    path = saved(browser)
    path.write_text(path.read_text(encoding="utf-8") + "S,g,strange,,,accept" + "," * 12 + "\n")
    browser.open(sheet)
    browser.press("Home", "u", "j", "u", "j", "a")
    browser.choose_file("#file", path)
    browser.wait_until(f"{SAID}.includes('saved.csv')")
    assert said(browser) == (
        "2 verdicts and notes taken from saved.csv; 1 of its pairs are not in this list"
    )
    assert counts(browser) == "2 accepted, 1 refused, 5 undecided of 8"


def test_a_file_that_is_no_list_is_not_loaded(browser: Browser, sheet: Path) -> None:
    browser.open(sheet)
    browser.press("a")
    browser.choose_file("#file", sheet.with_name("spots.yaml"))
    browser.wait_until(f"{SAID}.includes('spots.yaml')")
    assert said(browser).startswith("spots.yaml is not a list of pairs")
    assert counts(browser) == "1 accepted, 0 refused, 7 undecided of 8"


def test_nothing_in_a_name_gets_out_of_the_page(browser: Browser, tmp_path: Path) -> None:
    key = f"key {HOSTILE}"
    path = pipeline(tmp_path, [spot(0, key, f"group {HOSTILE}", a_name=HOSTILE), spot(1)])
    out = tmp_path / "pairs.csv"
    mine_pairs(path, out, workers=1)
    rows = [{**p.row, "note": HOSTILE, "__proto__": HOSTILE} for p in read_pair_list(out)]
    write_pair_list(out, rows, ["__proto__"])
    page = shown(tmp_path)
    open_whole(browser, page)
    assert browser.run("document.title") == "Pairs of Spotted: pairs.csv"
    assert browser.run("document.querySelectorAll('script').length") == 2
    assert browser.run("document.querySelectorAll('main script, img[onerror]').length") == 0
    text = browser.run("document.querySelector('main').textContent")
    assert "</script><script>document.title" in text
    assert "\u202e" not in text
    assert "⟨U+202E⟩gnp.exe" in text
    browser.press("a", "a")
    assert browser.complaints() == []
    assert browser.asked_network() == []
    assert {p.key: (p.group, p.note, p.verdict, p.columns["__proto__"]) for p in
            read_pair_list(saved(browser))} == {
        key: (f"group {HOSTILE}", HOSTILE, "accept", HOSTILE),
        "k01": ("g", HOSTILE, "accept", HOSTILE),
    }  # fmt: skip


def test_a_script_smuggled_into_the_page_would_not_run(browser: Browser, sheet: Path) -> None:
    text = sheet.read_text(encoding="utf-8")
    marker = '<main id="cards"></main>'
    assert marker in text
    bad = "<script>document.title = 'broken into'</script><img src=x onerror='document.title=1'>"
    sheet.write_text(text.replace(marker, bad + marker), encoding="utf-8")
    browser.open(sheet)
    assert browser.run("document.title") == "Pairs of Spotted: pairs.csv"


def test_a_part_of_a_list_is_shown_and_all_of_it_saved(browser: Browser, tmp_path: Path) -> None:
    path = several(
        tmp_path,
        {"One": ([spot(n) for n in range(3)], {}), "Two": ([spot(n) for n in range(4)], {})},
    )
    mine_pairs(path, tmp_path / "pairs.jsonl", workers=1)
    browser.open(shown(tmp_path, "pairs.jsonl", subsets=("Two",)))
    assert browser.run("document.querySelectorAll('article').length") == 4
    browser.press("a")
    pairs = read_pair_list(saved(browser))
    assert [p.subset for p in pairs] == ["One"] * 3 + ["Two"] * 4
    assert [p.verdict for p in pairs] == ["", "", "", "accept", "", "", ""]


def test_pairs_without_a_picture_are_shown_and_say_so(browser: Browser, sheet: Path) -> None:
    pipeline(sheet.parent, [spot(0), spot(40, "k01")])  # the others are gone, one has changed
    found = show_pairs(
        sheet.with_name("spots.yaml"), sheet.with_name("pairs.csv"), sheet, workers=1
    )
    assert (found.pairs, found.without_picture) == (8, 6)
    open_whole(browser, sheet)
    texts = browser.run("[...document.querySelectorAll('article')].map((a) => a.textContent)")
    assert sum("Not among the candidates any more" in text for text in texts) == 6
    assert sum("Its art has changed" in text for text in texts) == 1
    browser.press(*"aaaaaaaa")
    assert counts(browser) == "8 accepted, 0 refused, 0 undecided of 8"


def test_a_verdict_never_falls_on_a_pair_out_of_sight(browser: Browser, tmp_path: Path) -> None:
    mine_pairs(pipeline(tmp_path, [spot(n) for n in range(40)]), tmp_path / "pairs.csv", workers=1)
    browser.open(shown(tmp_path))
    browser.run("scrollTo(0, document.body.scrollHeight / 2)")
    browser.wait_until("document.activeElement.dataset.index > 0")
    number = current(browser)
    assert 10 < number < 32
    browser.press("a")
    assert verdicts(saved(browser))[number - 1] == "accept"


def test_everything_can_be_done_and_heard_without_seeing(browser: Browser, sheet: Path) -> None:
    open_whole(browser, sheet)
    nameless = browser.run(
        "[...document.querySelectorAll('button, input, article, [role=img]')].filter((element) =>"
        " !(element.getAttribute('aria-label') || element.textContent.trim()"
        " || element.labels?.length)).length"
    )
    assert nameless == 0
    assert browser.run("document.documentElement.lang") == "en"
    assert browser.run("document.getElementById('said').getAttribute('role')") == "status"
    browser.press("a")
    assert said(browser) == "Pair 1 accepted"
    pressed = browser.run("document.querySelector('article [aria-pressed=true]').textContent")
    assert pressed == "a Accept"
    browser.press("?")
    assert browser.run("document.getElementById('keys').open")
    browser.press("r", "Escape")
    assert not browser.run("document.getElementById('keys').open")
    assert counts(browser) == "1 accepted, 0 refused, 7 undecided of 8"


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_text_stands_out_from_what_is_behind_it(scheme: int) -> None:
    """WCAG 2: contrast of at least 4.5 to 1."""
    style = (Path(rosegen.curation.__file__).parent / "sheet.css").read_text(encoding="utf-8")
    blocks = re.findall(r":root \{(.*?)\}", style, re.DOTALL)
    colours = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", " ".join(blocks[: scheme + 1])))
    for text, back in [
        *(("ink", back) for back in ("paper", "soft", "accept-back", "refuse-back")),
        *(("muted", back) for back in ("paper", "accept-back", "refuse-back")),
        *(("warn", back) for back in ("paper", "accept-back", "refuse-back")),
        ("accept", "paper"),
        ("refuse", "paper"),
    ]:
        assert _contrast(colours[text], colours[back]) >= 4.5, (text, back)


def _contrast(one: str, other: str) -> float:
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(weight * p for weight, p in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
