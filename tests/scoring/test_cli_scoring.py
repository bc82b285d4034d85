"""The commands of scoring: exit codes, what they print, and files that are whole or absent."""

from __future__ import annotations

import errno
import gc
import json
from pathlib import Path
from typing import Any

import pytest

import rosegen
from tests.scoring.maker import (
    Row,
    answers,
    files_in,
    items,
    jsonl,
    read_jsonl,
    release,
    run,
    write,
)

ITEMS = items()
ROSE_FILES = {
    *("per_item_eval.jsonl", "error_cases.jsonl", "evaluation_summary.json"),
    *("summary_by_subset.csv", "summary_by_template.csv", "coverage_by_subset_template.csv"),
    *("table1_row.txt", "table2_row.txt"),
}
OWN_FILES = {
    *("tables.md", "tables.tex", "tables.csv"),
    *("statistics.json", "statistics.csv", "failures.jsonl"),
}
FEW = ("--resamples", "100")


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """A release."""
    return release(tmp_path / "made")


@pytest.fixture
def said(tmp_path: Path) -> Path:
    """Predictions for its test split, four of them wrong."""
    return write(tmp_path / "said.jsonl", jsonl(answers(ITEMS, wrong=4)))


def told(capsys: pytest.CaptureFixture[str]) -> str:
    """The one line of complaint, and nothing on standard output."""
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith("rosegen: ")
    assert output.err.count("\n") == 1
    assert "Traceback" not in output.err
    return output.err


# What is printed


def test_a_run_prints_tables_and_where_the_results_are(
    made: Path, said: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert run("evaluate", made, said, "--out", out, *FEW) == 0
    shown = capsys.readouterr()
    assert "PASS and SOFT by subset" in shown.out
    assert "m: 20 of 20 items of the split test" in shown.out
    assert shown.out.endswith(f"{out} holds the results\n")
    assert shown.err == ""
    assert set(files_in(out)) == ROSE_FILES | OWN_FILES


def test_what_does_not_add_up_is_printed(
    made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = answers(ITEMS[2:])
    rows += [rows[0], {"item_id": "elsewhere", "raw_text": "DONE"}]
    path = write(tmp_path / "said.jsonl", jsonl(rows))
    options = ("--allow-partial", "--duplicates", "last", "--out", tmp_path / "out", *FEW)
    assert run("evaluate", made, path, *options) == 0
    shown = capsys.readouterr().out
    assert "m: 18 of 20 items of the split test; 2 missing, 1 extra, 1 answered twice" in shown


@pytest.mark.parametrize("flag", ["-q", "--quiet"])
def test_a_quiet_run_prints_nothing(
    made: Path, said: Path, tmp_path: Path, flag: str, capsys: pytest.CaptureFixture[str]
) -> None:
    main, bridge = tmp_path / "main", bridge_files(tmp_path)
    assert run("evaluate", made, said, "--out", main, flag, *FEW) == 0
    assert run("evaluate-bridge", *bridge, "--main-eval", main, "--out", tmp_path / "b", flag) == 0
    assert run("consistency", main, "--out", tmp_path / "c", flag) == 0
    assert capsys.readouterr() == ("", "")


def test_json_is_one_document_and_nothing_else(
    made: Path, said: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main, bridge = tmp_path / "main", bridge_files(tmp_path)

    def document(*arguments: Any) -> Any:
        assert run(*arguments, "--json") == 0
        shown = capsys.readouterr()
        assert shown.err == ""
        return json.loads(shown.out)

    one = document("evaluate", made, said, "--out", main, *FEW)
    assert (one["out"], one["comparison"]) == (str(main), None)
    (model,) = one["models"]
    assert (model["model"], model["items"], model["complete"]) == ("m", 20, True)
    assert {found["group"] for found in model["statistics"]} >= {"overall", "template"}
    two = document("evaluate-bridge", *bridge, "--main-eval", main, "--out", tmp_path / "b")
    assert (two["bridge"], two["Model"], two["G-Clk"]) == ("global_click", "m", 100.0)
    three = document("consistency", main, "--out", tmp_path / "c")
    assert [record["model"] for record in three["models"]] == ["m"]


@pytest.mark.parametrize("command", ["evaluate", "evaluate-bridge", "consistency"])
def test_help_shows_the_command_in_use(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(command, "--help") == 0
    shown = capsys.readouterr().out
    example = shown[shown.index("Example") :]
    assert f"rosegen {command} " in example
    assert "--out" in example
    assert shown.count("--") > 5


def test_collecting_garbage_goes_on_after_a_run(made: Path, said: Path, tmp_path: Path) -> None:
    assert gc.isenabled()
    assert run("evaluate", made, said, "--out", tmp_path / "out", "-q", *FEW) == 0
    assert gc.isenabled()


def test_options_change_what_the_files_say(made: Path, said: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    rows = [{"item_id": row["item_id"], "x": row["raw_text"]} for row in read_jsonl(said)]
    path = write(
        tmp_path / "a.csv",
        "item_id,x\n" + "".join(f'{row["item_id"]},"{row["x"]}"\n' for row in rows),
    )
    named = ("--model", "gpt-5.5", "--text-column", "x", "--digits", 3, "--out", out)
    assert run("evaluate", made, path, *named, "-q", *FEW) == 0
    first, cells = (out / "table1_row.txt").read_text(encoding="utf-8").splitlines()
    assert first == "GPT-5.5"
    assert cells.split(" & ")[0] == "& 60.000"
    summary = json.loads((out / "evaluation_summary.json").read_text(encoding="utf-8"))
    assert (summary["model"], summary["display_name"]) == ("gpt-5.5", "GPT-5.5")


def test_a_near_miss_may_be_farther_off(made: Path, tmp_path: Path) -> None:
    rows = answers(ITEMS)
    place = next(n for n, row in enumerate(ITEMS) if row["task_template"].startswith("T3"))
    rows[place]["raw_text"] = "CLICK(R3,C4); DONE"  # one row and one column off R2,C5
    path = write(tmp_path / "said.jsonl", jsonl(rows))
    for reach, near in ((0, 0), (1, 0), (2, 1)):
        out = tmp_path / str(reach)
        options = ("--near-miss-l1", reach, "--out", out, "-q", *FEW)
        assert run("evaluate", made, path, *options) == 0
        by_id = {row["item_id"]: row for row in read_jsonl(out / "per_item_eval.jsonl")}
        assert by_id[rows[place]["item_id"]]["near_miss_count"] == near


def test_the_other_split_is_scored_when_asked(made: Path, tmp_path: Path) -> None:
    path = write(tmp_path / "said.jsonl", jsonl(answers(items(split="dev"))))
    out = tmp_path / "out"
    assert run("evaluate", made, path, "--split", "dev", "--out", out, "-q", *FEW) == 0
    summary = json.loads((out / "evaluation_summary.json").read_text(encoding="utf-8"))
    assert (summary["split"], summary["overall"]["pass_rate"]) == ("dev", 1.0)


# Several models


def test_two_files_get_a_folder_each_and_a_comparison(
    made: Path, said: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = write(tmp_path / "b.jsonl", jsonl(answers(ITEMS, model="other/M", wrong=1)))
    out = tmp_path / "out"
    assert run("evaluate", made, said, other, "--out", out, *FEW) == 0
    shown = capsys.readouterr().out
    assert "m - other/M" in shown
    assert set(files_in(out)) == {
        *("models", "models/m", "models/other_M"),
        *("comparison.json", "tables.md", "tables.tex", "tables.csv"),
        *(
            f"models/{folder}/{name}"
            for folder in ("m", "other_M")
            for name in ROSE_FILES | OWN_FILES
        ),
    }
    comparison = json.loads((out / "comparison.json").read_text(encoding="utf-8"))
    assert (comparison["models"], comparison["items"]) == (["m", "other/M"], 20)
    alone = tmp_path / "alone"
    assert run("evaluate", made, other, "--out", alone, "-q", *FEW) == 0
    for name in ROSE_FILES | OWN_FILES:
        assert (alone / name).read_bytes() == (out / "models" / "other_M" / name).read_bytes()


def test_two_files_of_one_model_are_refused(
    made: Path, said: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("evaluate", made, said, said, "--out", tmp_path / "out", *FEW) == 2
    assert "called the same (m, m)" in told(capsys)
    for option in ("--model", "--display-name"):
        arguments = ("evaluate", made, said, said, "--out", tmp_path / "out", option, "x")
        assert run(*arguments) == 2
        assert "give one file, or neither" in told(capsys)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("subset", "summary", "repo_id"),
    [
        ("ROSE-PixelEdit", None, "sysuwyh357/ROSE-v0.1"),
        ("ROSE-PixelEdit", '{"files": 3}', "sysuwyh357/ROSE-v0.1"),
        ("ROSE-PixelEdit", '{"rosegen_version": "1.0"}', None),
        ("Birds", None, None),
    ],
)
def test_only_rows_of_rose_are_said_to_be_of_its_dataset(
    tmp_path: Path, subset: str, summary: str | None, repo_id: str | None
) -> None:
    rows = [{**row, "rose_subset": subset} for row in ITEMS]
    folder = tmp_path / "made"
    write(folder / "metadata_test.jsonl", jsonl(rows))
    if summary is not None:
        write(folder / "export_summary.json", summary)
    said = write(tmp_path / "said.jsonl", jsonl(answers(rows)))
    for place in (folder, folder / "metadata_test.jsonl"):
        assert rosegen.evaluate(place, said, resamples=100).summary["dataset_repo_id"] == repo_id


# Files that are whole or absent


def test_results_of_an_earlier_run_give_way_and_other_files_stay(
    made: Path, said: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    for name in ("report.html", "evaluation_summary.json", "notes.txt", "sub/own.csv"):
        write(out / name, "earlier")
    assert run("evaluate", made, said, "--out", out, "-q", *FEW) == 0
    assert set(files_in(out)) == ROSE_FILES | OWN_FILES | {"notes.txt", "sub", "sub/own.csv"}
    assert (out / "notes.txt").read_text() == (out / "sub" / "own.csv").read_text() == "earlier"
    assert len(read_jsonl(out / "per_item_eval.jsonl")) == 20
    again = {name: (out / name).read_bytes() for name in ROSE_FILES | OWN_FILES}
    assert run("evaluate", made, said, "--out", out, "-q", *FEW) == 0
    assert {name: (out / name).read_bytes() for name in again} == again


def test_a_folder_of_other_files_is_refused_and_left_as_it_is(
    made: Path, said: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    write(out / "thesis.tex", "mine")
    main, bridge = tmp_path / "main", bridge_files(tmp_path)
    assert run("evaluate", made, said, "--out", main, "-q", *FEW) == 0
    for command in (
        ("evaluate", made, said),
        ("evaluate-bridge", *bridge, "--main-eval", main),
        ("consistency", main),
    ):
        assert run(*command, "--out", out) == 2
        complaint = told(capsys)
        assert f"{out}: holds other files, no earlier results: name another --out" in complaint
        assert files_in(out) == ["thesis.tex"]


def test_results_may_join_those_of_another_analysis(made: Path, said: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert run("evaluate", made, said, "--out", out, "-q", *FEW) == 0
    assert run("consistency", out, "--out", out, "-q") == 0
    assert (out / "scene_consistency_test.json").is_file()
    assert (out / "evaluation_summary.json").is_file()


def test_folders_that_a_later_run_empties_go(made: Path, said: Path, tmp_path: Path) -> None:
    other = write(tmp_path / "b.jsonl", jsonl(answers(ITEMS, model="other/M", wrong=1)))
    out = tmp_path / "out"
    assert run("evaluate", made, said, other, "--report", "--out", out, "-q", *FEW) == 0
    assert (out / "models" / "other_M").is_dir()
    assert (out / "plots").is_dir()
    assert run("evaluate", made, said, "--out", out, "-q", *FEW) == 0
    assert set(files_in(out)) == ROSE_FILES | OWN_FILES


def bad_line(made: Path, tmp_path: Path) -> tuple[list[Any], str]:
    lines = jsonl(answers(ITEMS)).splitlines()
    path = write(tmp_path / "bad.jsonl", "\n".join([*lines[:9], lines[9][:-5], *lines[10:]]))
    return [made, path], f"{path}:10: is not JSON"


def bad_metadata(made: Path, tmp_path: Path) -> tuple[list[Any], str]:
    rows: list[Row] = [dict(row) for row in ITEMS]
    rows[7]["rows"] = "six"
    path = write(tmp_path / "metadata.jsonl", jsonl(rows))
    return [path, write(tmp_path / "all.jsonl", jsonl(answers(ITEMS)))], f"{path}:8: item "


def bad_second_file(made: Path, tmp_path: Path) -> tuple[list[Any], str]:
    one = write(tmp_path / "one.jsonl", jsonl(answers(ITEMS)))
    return [made, one, tmp_path / "nowhere.jsonl"], "nowhere.jsonl: cannot be read"


def missing_items(made: Path, tmp_path: Path) -> tuple[list[Any], str]:
    some = write(tmp_path / "some.jsonl", jsonl(answers(ITEMS[:5])))
    return [made, some], "say --allow-partial"


def no_release(made: Path, tmp_path: Path) -> tuple[list[Any], str]:
    return [tmp_path / "nowhere", tmp_path / "said.jsonl"], "no such file or folder"


@pytest.mark.parametrize(
    "fault", [bad_line, bad_metadata, bad_second_file, missing_items, no_release]
)
def test_a_run_that_fails_says_why_and_leaves_what_was_there(
    made: Path, said: Path, tmp_path: Path, fault: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments, why = fault(made, tmp_path)
    out = tmp_path / "out"
    assert run("evaluate", *arguments, "--out", out, *FEW) == 2
    assert why in told(capsys)
    assert not out.exists()
    write(out / "report.html", "earlier")
    assert run("evaluate", *arguments, "--out", out, *FEW) == 2
    assert files_in(out) == ["report.html"]


FAULTS = [
    (OSError(errno.ENOSPC, "No space left on device"), 2, "out: the disk is full: free some space"),
    (OSError(errno.EIO, "Input/output error"), 2, "out: cannot be written: Input/output error"),
    (KeyboardInterrupt(), 130, "interrupted; nothing half done was left"),
]


@pytest.mark.parametrize(("fault", "code", "why"), FAULTS, ids=["full", "broken", "Ctrl-C"])
@pytest.mark.parametrize("place", ["evaluation.write_csv", "several.write_json"])
def test_nothing_half_written_is_left_when_writing_fails(
    made: Path,
    said: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    place: str,
    fault: BaseException,
    code: int,
    why: str,
) -> None:
    def fail(path: Path, *rest: Any) -> None:
        assert any(path.parent.iterdir())  # some of the results are on the disk
        raise fault

    monkeypatch.setattr(f"rosegen.scoring.{place}", fail)
    other = write(tmp_path / "b.jsonl", jsonl(answers(ITEMS, model="b")))
    out = tmp_path / "out"
    assert run("evaluate", made, said, other, "--out", out, *FEW) == code
    assert why in told(capsys)
    assert not out.exists()
    write(out / "comparison.json", "earlier")
    assert run("evaluate", made, said, other, "--out", out, *FEW) == code
    assert files_in(out) == ["comparison.json"]
    assert (out / "comparison.json").read_text() == "earlier"


def test_an_interrupt_amid_scoring_leaves_nothing(
    made: Path,
    said: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def interrupt(*rest: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("rosegen.scoring.scored.failures_of", interrupt)
    before = files_in(tmp_path)
    assert run("evaluate", made, said, "--out", tmp_path / "out", *FEW) == 130
    assert told(capsys) == "rosegen: interrupted; nothing half done was left\n"
    assert files_in(tmp_path) == before
    assert gc.isenabled()


@pytest.mark.parametrize("command", ["evaluate", "evaluate-bridge", "consistency"])
@pytest.mark.parametrize("place", ["file", "file/inside"])
def test_a_file_where_the_folder_should_be_is_told_and_kept(
    made: Path,
    said: Path,
    tmp_path: Path,
    command: str,
    place: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    main = tmp_path / "main"
    assert run("evaluate", made, said, "--out", main, "-q", *FEW) == 0
    arguments = {
        "evaluate": (made, said),
        "evaluate-bridge": (*bridge_files(tmp_path), "--main-eval", main),
        "consistency": (main,),
    }[command]
    out = write(tmp_path / "file", "mine").parent / place
    assert run(command, *arguments, "--out", out) == 2
    assert str(out) in told(capsys)
    assert (tmp_path / "file").read_text() == "mine"


# Calls that cannot be meant


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["evaluate"], "RELEASE"),
        (["evaluate", "made"], "PREDICTIONS"),
        (["evaluate", "made", "said.jsonl"], "--out"),
        (["evaluate", "made", "said.jsonl", "--out", "o", "--split", "train"], "train"),
        (["evaluate", "made", "said.jsonl", "--out", "o", "--near-miss-l1", "-1"], "-1"),
        (["evaluate", "made", "said.jsonl", "--out", "o", "--resamples", "3"], "3"),
        (["evaluate", "made", "said.jsonl", "--out", "o", "--digits", "13"], "13"),
        (["evaluate", "made", "said.jsonl", "--out", "o", "--duplicates", "all"], "all"),
        (["evaluate", "made", "said.jsonl", "--out", "o", "--text-column", "x"], "(columns are"),
        (["evaluate", "made", "said.jsonl", "--out", "o", "--nothing"], "--nothing"),
        (["evaluate", "made", "nowhere.jsonl", "--out", "o"], "nowhere.jsonl: cannot be read"),
        (["evaluate", "made", ".", "--out", "o"], "cannot be read"),
        (["evaluate", "~nobody-of-this-name/x", "said.jsonl", "--out", "o"], "no such"),
        (["evaluate-bridge", "made", "said.jsonl", "--out", "o"], "give a release with bridges"),
        (["evaluate-bridge", "made", "said.jsonl", "--out", "o", "--bridge", "x"], "x"),
        (["consistency", "--out", "o"], "PATHS"),
        (["consistency", "nowhere", "--out", "o"], "nowhere: no such file"),
        (["consistency", "made", "--out", "o"], "no per_item_eval.jsonl"),
        (["consistency", "said.jsonl", "--out", "o"], "no row of the split test"),
    ],
)
def test_a_wrong_call_exits_with_2_and_one_line(
    made: Path,
    said: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    why: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    before = files_in(tmp_path)
    assert run(*arguments) == 2
    assert why in told(capsys)
    assert files_in(tmp_path) == before


# Bridges and consistency


def bridge_files(tmp_path: Path) -> tuple[Path, Path]:
    """A global-click bridge of the release, and right answers to it."""
    rows = [
        row
        | {
            "item_id": f"{row['item_id']}-clicks",
            "task_template": "T1B_CLICK_GLOBAL",
            "task_mode": "CLICK",
            "ground_truth_formal_answer": "CLICK(R1,C1); CLICK(R2,C5); DONE",
            "source_item_id": row["item_id"],
        }
        for row in ITEMS
        if row["task_template"].startswith("T1")
    ]
    metadata = write(tmp_path / "bridge" / "metadata_test.jsonl", jsonl(rows))
    return metadata, write(tmp_path / "clicks.jsonl", jsonl(answers(rows)))


def test_a_bridge_is_paired_with_the_main_evaluation(
    made: Path, said: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main, out = tmp_path / "main", tmp_path / "out"
    assert run("evaluate", made, said, "--out", main, "-q", *FEW) == 0
    bridge = bridge_files(tmp_path)
    assert run("evaluate-bridge", *bridge, "--main-eval", main, "--out", out) == 0
    shown = capsys.readouterr().out
    assert "(4 of 4 items; 0 missing, 0 extra, 0 duplicate rows)" in shown
    summary = json.loads((out / "global_click_summary.json").read_text(encoding="utf-8"))
    # The first of the four scenes has its count wrong.
    assert summary["micro_pooled"]["gcnt_pass_rate"] == 0.75
    assert summary["micro_pooled"]["gclk_pass_rate"] == 1.0
    assert summary["main_eval"] == str(main)
    options = ("--main-eval", main, "--model", "else", "--out", tmp_path / "none")
    assert run("evaluate-bridge", *bridge, *options) == 2
    assert "(its models are m): name the right one with --main-model" in told(capsys)
    assert run("evaluate-bridge", *bridge, *options[:-1], out, "--main-model", "m", "-q") == 0


def test_consistency_takes_models_apart_by_name(
    made: Path, said: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = write(tmp_path / "b.jsonl", jsonl(answers(ITEMS, model="b")))
    main, out = tmp_path / "main", tmp_path / "out"
    assert run("evaluate", made, said, other, "--out", main, "-q", *FEW) == 0
    assert run("consistency", main, "--out", out) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in lines[:2]] == ["b", "m"]
    assert "Action Ret. 100.0" in lines[0]
    options = ("--out", out, "--model", "m", "--model", "b", "--json")
    assert run("consistency", main / "models" / "b" / "per_item_eval.jsonl", main, *options) == 0
    document = json.loads(capsys.readouterr().out)
    assert [(record["model"], record["n_items"]) for record in document["models"]] == [
        ("m", 20),
        ("b", 20),
    ]
    assert run("consistency", main, "--out", out, "--model", "c") == 2
    assert "no rows of the model c (there are b, m)" in told(capsys)


def test_the_command_and_the_function_write_the_same_files(
    made: Path, said: Path, tmp_path: Path
) -> None:
    assert run("evaluate", made, said, "--out", tmp_path / "a", "-q", "--resamples", 200) == 0
    rosegen.evaluate(made, said, resamples=200).write(tmp_path / "b")
    assert files_in(tmp_path / "a") == files_in(tmp_path / "b")
    for name in files_in(tmp_path / "a"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_one_model_after_two_and_two_after_one_leave_nothing_of_each_other(
    made: Path, tmp_path: Path
) -> None:
    one, two = (
        write(tmp_path / f"{model}.jsonl", jsonl(answers(ITEMS, model=model)))
        for model in ("m", "b")
    )
    out = tmp_path / "out"
    assert run("evaluate", made, one, two, "--out", out, "-q", *FEW) == 0
    write(out / "models" / "notes.txt", "mine")
    assert run("evaluate", made, one, "--out", out, "-q", *FEW) == 0
    held = {name for name in files_in(out) if (out / name).is_file()}
    assert held == {*ROSE_FILES, *OWN_FILES, "models/notes.txt"}
    assert run("evaluate", made, one, two, "--out", out, "-q", *FEW) == 0
    assert "per_item_eval.jsonl" not in files_in(out)


def test_a_folder_in_the_way_of_one_file_leaves_all_as_they_were(
    made: Path, said: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "deep" / "out"
    (out / "tables.md").mkdir(parents=True)
    assert run("evaluate", made, said, "--out", out, "-q", *FEW) == 2
    assert "tables.md: is a folder, in the way of a file" in told(capsys)
    assert files_in(out) == ["tables.md"]


def test_what_fails_leaves_no_folder_behind(made: Path, said: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    assert run("evaluate", made, said, "--out", tmp_path / "file" / "b", "-q", *FEW) == 2
    said.write_text(said.read_text() + "{", encoding="utf-8")
    assert run("evaluate", made, said, "--out", tmp_path / "a" / "b" / "c", "-q") == 2
    assert not (tmp_path / "a").exists()
