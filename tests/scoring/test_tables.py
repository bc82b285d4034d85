"""Tables in Markdown, LaTeX and CSV, whatever the models are called."""

from __future__ import annotations

import csv
import io
import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rosegen.scoring.compare import compare
from rosegen.scoring.evaluation import evaluate
from rosegen.scoring.tables import (
    Cell,
    Table,
    as_csv,
    as_latex,
    as_markdown,
    score_tables,
    write_csv,
)
from tests.scoring.scene_maker import ROSE_SUBSETS, SHORTS, T1, metadata, predictions, says

markdown_it = pytest.importorskip("markdown_it", reason="needs markdown-it-py, which rich brings")

HOSTILE = [
    "a | b || c",
    "a\\|b\\",
    "two\nlines\r\nand\rmore\n\nend",
    "\ttabs \x00 and \x1b[31m controls \x7f",
    "**bold** _it_ `code` ~~no~~ <b>html</b> [x](y) &amp; ![i](j) #1",
    "50 % & $5 #2 under_score {brace} ~tilde^ back\\slash",
    "[57.2]",
    "*starred*",
    r"\input{/etc/passwd} \end{tabular}",
    "quotes \"double\" and 'single', comma; semicolon",
    "=1+1",
    "p < 0.05 > 0",
    "- dash",
    "名字 😀 é",
    "",
    "   ",
]


def one_line(name: str) -> str:
    """What a name is on one line, without control characters."""
    return " ".join("".join(" " if ord(c) < 32 or ord(c) == 127 else c for c in name).split())


def table_of(*names: str, cells: tuple[Cell, ...] = (Cell(0.5, 0.4, 0.6), Cell(None))) -> Table:
    """A table of some models."""
    columns = tuple(f"column {place} | x_y" for place in range(len(cells)))
    return Table("A title", columns, tuple((name, cells) for name in names))


def read_markdown(text: str) -> list[list[list[str]]]:
    """The cells' texts of each table, as a reader of GitHub's Markdown shows them."""
    reader = markdown_it.MarkdownIt("commonmark", {"html": True})
    tokens = reader.enable(["table", "strikethrough"]).parse(text)
    tables: list[list[list[str]]] = []
    for token in tokens:
        if token.type == "table_open":
            tables.append([])
        elif token.type == "tr_open":
            tables[-1].append([])
        elif token.type == "inline" and tables and tables[-1] and token.level > 2:
            parts = token.children or []
            assert {part.type for part in parts} <= {"text", "text_special"}, token.content
            tables[-1][-1].append("".join(part.content for part in parts))
    return tables


# One cell


@pytest.mark.parametrize(
    ("cell", "digits", "shown"),
    [
        (Cell(None), 1, ("--", "")),
        (Cell(0.0), 1, ("0.0", "")),
        (Cell(1.0, 1.0, 1.0), 1, ("100.0", "[100.0, 100.0]")),
        (Cell(0.60249, 0.572, 0.6317), 0, ("60", "[57, 63]")),
        (Cell(0.60249, 0.572, 0.6317), 3, ("60.249", "[57.200, 63.170]")),
        (Cell(0.5, None, 0.6), 1, ("50.0", "")),
        (Cell(-0.123, -0.2, -0.01), 1, ("-12.3", "[-20.0, -1.0]")),
        (Cell(-0.0001, -0.0004, 0.0), 1, ("0.0", "[0.0, 0.0]")),
        (Cell(-0.0001, -0.0004, 0.0), 2, ("-0.01", "[-0.04, 0.00]")),
    ],
)
def test_a_cell_is_in_percent_to_so_many_digits(
    cell: Cell, digits: int, shown: tuple[str, str]
) -> None:
    assert (cell.text(digits), cell.interval(digits)) == shown


# Markdown


@pytest.mark.parametrize("digits", [0, 1, 3])
def test_markdown_shows_number_interval_and_what_is_missing(digits: int) -> None:
    read = read_markdown(as_markdown([table_of("m")], digits))
    interval = {0: "50 [40, 60]", 1: "50.0 [40.0, 60.0]", 3: "50.000 [40.000, 60.000]"}[digits]
    assert read == [[["Model", "column 0 | x_y", "column 1 | x_y"], ["m", interval, "--"]]]


def test_markdown_shows_hostile_names_as_they_are() -> None:
    text = as_markdown([table_of(*HOSTILE), table_of("next")])
    first, second = read_markdown(text)
    assert [row[0] for row in first[1:]] == [one_line(name) for name in HOSTILE]
    assert [len(row) for row in first] == [3] * (len(HOSTILE) + 1)
    assert second[1][0] == "next"
    assert text.count("\n### ") + text.startswith("### ") == 2


@settings(deadline=None, max_examples=200)
@given(st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S", "Zs", "Cc"])))
def test_markdown_shows_any_name(name: str) -> None:
    rows = read_markdown(as_markdown([table_of(name, "next")]))[0]
    shown = re.sub(r"[\s\x00-\x1f\x7f-\x9f]+", " ", name).strip()
    assert [row[0] for row in rows[1:]] == [shown, "next"]


# LaTeX


def read_latex(text: str) -> list[list[str]]:
    """The cells of the tables, escapes read back; what TeX would act on is refused."""
    known = {"textbackslash": "\\", "textasciitilde": "~", "textasciicircum": "^"}
    known |= {"textbar": "|", "textless": "<", "textgreater": ">"}
    rows = []
    for line in text.splitlines():
        if line.startswith("%") or re.fullmatch(r"\\(begin|end)\{tabular\}(\{l?r*\})?", line):
            continue
        if line in (r"\toprule", r"\midrule", r"\bottomrule", ""):
            continue
        assert line.endswith(r" \\"), line
        assert not line.lstrip().startswith(("[", "*")), line  # an argument of the line before
        rest = re.sub(r"\\,\{\\scriptsize (\[[-\d., ]+\])\}", r" \1", line.removesuffix(r" \\"))
        cells = [""]
        while rest:
            found = re.match(
                r"\\([&%$#_{}])|\\(text[a-z]+)\{\}|\{([\[*])\}|( & )|([^\\&%$#_{}~^|<>])", rest
            )
            assert found, rest
            literal, command, braced, ends, plain = found.groups()
            if ends:
                cells.append("")
            else:
                cells[-1] += literal or known.get(command or "", "") or braced or plain
            rest = rest[found.end() :]
        rows.append(cells)
    return rows


def test_latex_shows_number_interval_and_what_is_missing() -> None:
    text = as_latex([table_of("m")], 2)
    assert "\\begin{tabular}{lrr}\n\\toprule\n" in text
    assert text.endswith(
        "m & 50.00\\,{\\scriptsize [40.00, 60.00]} & -- \\\\\n\\bottomrule\n\\end{tabular}\n"
    )
    assert read_latex(text) == [
        ["Model", "column 0 | x_y", "column 1 | x_y"],
        ["m", "50.00 [40.00, 60.00]", "--"],
    ]


def test_latex_shows_hostile_names_as_they_are() -> None:
    rows = read_latex(as_latex([table_of(*HOSTILE)]))
    assert [row[0] for row in rows[1:]] == [one_line(name) for name in HOSTILE]
    assert [len(row) for row in rows] == [3] * (len(HOSTILE) + 1)


@settings(deadline=None, max_examples=200)
@given(st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S", "Zs", "Cc"])))
def test_latex_shows_any_name(name: str) -> None:
    rows = read_latex(as_latex([table_of(name, "next")]))
    shown = re.sub(r"[\s\x00-\x1f\x7f-\x9f]+", " ", name).strip()
    assert [row[0] for row in rows[1:]] == [shown, "next"]


def test_latex_compiles(tmp_path: Path) -> None:
    pdflatex, kpsewhich = shutil.which("pdflatex"), shutil.which("kpsewhich")
    if not pdflatex or not kpsewhich:
        pytest.skip("needs pdflatex")
    found = subprocess.run(
        [kpsewhich, "booktabs.sty"], capture_output=True, timeout=60, check=False
    )
    if found.returncode:
        pytest.skip("needs the LaTeX package booktabs")
    names = [name for name in HOSTILE if name.isascii()]
    items = metadata(dict.fromkeys(ROSE_SUBSETS, 3), templates=[T1])
    models = [evaluate(items, predictions(items, 1, f"m{place}"), resamples=2) for place in (1, 2)]
    tables = score_tables({model.name: model.statistics for model in models})
    tables.append(compare([model.scored for model in models], ["[a]", "*b*"], resamples=2).table())
    body = as_latex([*tables, table_of(*names)])
    document = (
        "\\documentclass[landscape]{article}\n\\usepackage{booktabs}\n\\begin{document}\n"
        f"\\tiny\n{body}\\end{{document}}\n"
    )
    (tmp_path / "tables.tex").write_text(document, encoding="utf-8")
    done = subprocess.run(
        [pdflatex, "-interaction=nonstopmode", "-halt-on-error", "tables.tex"],
        cwd=tmp_path,
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "tables.pdf").stat().st_size > 1000


# CSV


def test_csv_is_long_and_in_unrounded_percent() -> None:
    table = table_of("m", cells=(Cell(1 / 3, 0.25, None), Cell(None)))
    rows = list(csv.reader(io.StringIO(as_csv([table]), newline="")))
    assert rows[0] == ["table", "row", "column", "percent", "low", "high"]
    assert rows[1] == ["A title", "m", "column 0 | x_y", str(100 * (1 / 3)), "25.0", ""]
    assert rows[2] == ["A title", "m", "column 1 | x_y", "", "", ""]


@settings(deadline=None, max_examples=200)
@given(st.lists(st.one_of(st.text(), st.sampled_from(HOSTILE)), min_size=1, max_size=4))
def test_csv_has_a_row_a_cell_whatever_the_names(names: list[str]) -> None:
    text = as_csv([table_of(*names), table_of("next")])
    rows = list(csv.reader(io.StringIO(text, newline="")))
    assert [len(row) for row in rows] == [6] * (1 + 2 * len(names) + 2)
    shown = [re.sub(r"[\s\x00-\x1f\x7f-\x9f]+", " ", name).strip() for name in names]
    assert [row[1] for row in rows[1::2]] == [*shown, "next"]


def test_the_csv_files_of_rose_hold_any_name(tmp_path: Path) -> None:
    rows = [{"name": name, "n": place} for place, name in enumerate(HOSTILE)]
    write_csv(tmp_path / "names.csv", [*rows, {"name": None, "more": 1.5}])
    data = (tmp_path / "names.csv").read_bytes()
    assert data.startswith(b"\xef\xbb\xbfname,n,more\r\n")
    with (tmp_path / "names.csv").open(encoding="utf-8-sig", newline="") as file:
        read = list(csv.DictReader(file))
    assert [row["name"] for row in read] == [*(name.replace("\0", " ") for name in HOSTILE), ""]
    assert read[-1] == {"name": "", "n": "", "more": "1.5"}


# The tables of models


def test_tables_hold_the_statistics_of_each_model() -> None:
    items = metadata(dict.fromkeys(ROSE_SUBSETS, 12), seed=1)
    models = {
        name: evaluate(items, predictions(items, 1, name, skill), resamples=50)
        for name, skill in (("a", 0.5), ("b", 0.8))
    }
    tables = score_tables({name: model.statistics for name, model in models.items()})
    assert [table.title for table in tables] == [
        "PASS and SOFT by subset",
        "PASS by task and by visual source",
        "From counting to action",
    ]
    for name, model in models.items():
        values = {(s.group, s.level, s.metric): (s.value, s.low, s.high) for s in model.statistics}
        shown = {
            column: tuple(cell)
            for table in tables
            for row, cells in table.rows
            if row == name
            for column, cell in zip(table.columns, cells, strict=True)
        }
        for subset in ROSE_SUBSETS:
            short = subset.removeprefix("ROSE-")
            for metric in ("PASS", "SOFT"):
                assert shown[f"{short} {metric}"] == values["subset", subset, metric]
        for short in SHORTS.values():
            assert shown[short] == values["template", short, "PASS"]
        for family in ("Glyph", "Emoji", "Pixel"):
            assert shown[family] == values["family", family, "PASS"]
        assert shown["Avg."] == shown["Avg. PASS"] == values["overall", "Avg.", "PASS"]
        assert shown["R-OK | VALID"] == values["overall", "Avg.", "R-OK | VALID"]
        assert shown["Gap"] == values["gap", "Gap", "PASS"]
        assert shown["Action Ret."] == values["conditioned", "Action Ret.", "PASS"]
        assert shown["All five right"] == values["scene", "all five right", "PASS"]
        assert None not in shown["Avg."]


def test_our_numbers_and_the_rows_of_rose_round_alike() -> None:
    items = metadata(dict.fromkeys(ROSE_SUBSETS, 9), seed=2)
    model = evaluate(items, predictions(items, 2), resamples=2)
    for digits in (0, 1, 4):
        first, second, _ = score_tables({"m": model.statistics})
        ours = [cell.text(digits) for cell in first.rows[0][1]]
        assert ours == re.findall(r"& ([-\d.]+)", model.table1_row(digits))
        by_task = [cell.text(digits) for cell in second.rows[0][1]]
        assert by_task[:5] == re.findall(r"& ([-\d.]+)", model.table2_row(digits))[:5]


def test_models_that_answered_other_subsets_stand_in_one_table() -> None:
    items = metadata({"ROSE-PixelEdit": 3, "Own": 3}, seed=3, templates=[T1])
    said = says(items, [True] * len(items))
    first = evaluate(items, said[:3], allow_partial=True, resamples=2)
    second = evaluate(items, said[3:], allow_partial=True, resamples=2)
    tables = score_tables({"first": first.statistics, "second": second.statistics})
    rows = read_markdown(as_markdown(tables))[0]
    assert rows[0][:5] == ["Model", "PixelEdit PASS", "PixelEdit SOFT", "Own PASS", "Own SOFT"]
    assert rows[1][:5] == ["first", "100.0", "100.0", "--", "--"]
    assert rows[2][:5] == ["second", "--", "--", "100.0", "100.0"]
    names = [row[0] for row in read_markdown(as_markdown(tables))[1]]
    assert names == ["Model", "first", "second"]
    assert "Pixel" in tables[1].columns
    assert "Glyph" not in tables[1].columns


def test_a_name_in_the_predictions_reaches_the_files_in_one_piece(tmp_path: Path) -> None:
    items = metadata({"Own": 4}, seed=4)
    draw = random.Random(4)
    name = draw.choice(HOSTILE[:6]) + " | x"
    evaluate(items, predictions(items, 4, name), resamples=2).write(tmp_path)
    text = (tmp_path / "tables.md").read_text(encoding="utf-8")
    assert {rows[1][0] for rows in read_markdown(text)} == {one_line(name)}
    assert read_latex((tmp_path / "tables.tex").read_text(encoding="utf-8"))[1][0] == one_line(name)
