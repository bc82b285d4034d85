"""The journal: a unit counts only if all of it is there, and a folder has one builder."""

from __future__ import annotations

import json
import multiprocessing
from pathlib import Path
from typing import Any

import pytest

from rosegen.engine.journal import JOURNAL, Files, FolderJournal, copy_section, record, whole_entry
from rosegen.engine.store import LocalStore
from rosegen.errors import RosegenError
from rosegen.files import write_text

SEAL = "seal.json"


def fill(store: LocalStore, unit: int) -> None:
    files = Files(store)
    files.write(f"images/{unit}.png", b"picture %d" % unit)
    sections = {"rows.jsonl": b'{"unit": %d}\n' % unit, "log.jsonl": b"log\n" * unit}
    record(store, unit, files, sections, {"scenes": unit})


def test_what_is_recorded_is_found_again_and_joined_in_order(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    for unit in (2, 0, 1):
        fill(store, unit)
    entries = [entry for unit in range(4) if (entry := whole_entry(store, unit)) is not None]
    assert [entry.unit for entry in entries] == [0, 1, 2]
    assert [entry.facts for entry in entries] == [{"scenes": unit} for unit in range(3)]
    for name, joined in (
        ("rows.jsonl", b'{"unit": 0}\n{"unit": 1}\n{"unit": 2}\n'),
        ("log.jsonl", b"log\n" * 3),
        ("nobody.jsonl", b""),
    ):
        with store.writer(name) as out:
            copy_section(store, entries, name, out)
        assert (tmp_path / name).read_bytes() == joined


@pytest.mark.parametrize("name", ["images/1.png", f"{JOURNAL}/000001.rows"])
@pytest.mark.parametrize("harm", ["gone", "shorter", "longer", "another byte"])
def test_a_unit_that_lacks_a_byte_does_not_count(tmp_path: Path, name: str, harm: str) -> None:
    store = LocalStore(tmp_path)
    fill(store, 1)
    assert whole_entry(store, 1) is not None
    path = tmp_path / name
    data = path.read_bytes()
    if harm == "gone":
        path.unlink()
    else:
        harmed = {"shorter": data[:-1], "longer": data + b"x", "another byte": b"X" + data[1:]}
        path.write_bytes(harmed[harm])
    assert whole_entry(store, 1) is None


@pytest.mark.parametrize("entry", [b"", b"{", b"[]", b"{}", b'{"rows": 3}', b"\xff\xfe"])
def test_an_entry_that_is_none_does_not_count(tmp_path: Path, entry: bytes) -> None:
    store = LocalStore(tmp_path)
    fill(store, 1)
    (tmp_path / JOURNAL / "000001.json").write_bytes(entry)
    assert whole_entry(store, 1) is None


def test_a_finished_folder_takes_its_name_without_its_journal(tmp_path: Path) -> None:
    out = tmp_path / "deep" / "out"
    with FolderJournal(out, SEAL, {"pipeline": "a"}) as journal:
        fill(journal.store, 0)
        assert not journal.is_sealed
        journal.store.keep(SEAL, b"{}")
        assert journal.is_sealed
        journal.finish(replace=False)
    found = sorted(path.relative_to(out).as_posix() for path in out.rglob("*"))
    assert found == ["images", "images/0.png", SEAL]
    assert [path.name for path in out.parent.iterdir()] == ["out"]


def test_what_is_recorded_outlives_an_error_and_what_is_not_does_not(tmp_path: Path) -> None:
    out = tmp_path / "deep" / "out"
    for recorded in (False, True):
        with pytest.raises(KeyError), FolderJournal(out, SEAL, {}) as journal:
            if recorded:
                fill(journal.store, 0)
            else:
                journal.store.put("images/0.png", b"half")
            raise KeyError
        assert out.parent.exists() is recorded
    with FolderJournal(out, SEAL, {}) as journal:
        assert whole_entry(journal.store, 0) is not None


def test_another_fingerprint_is_refused_with_both(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with (
        pytest.raises(KeyError),
        FolderJournal(out, SEAL, {"pipeline": "a", "packs": []}) as journal,
    ):
        fill(journal.store, 0)
        raise KeyError
    other = {"pipeline": "b", "packs": [], "selection": None}
    with pytest.raises(RosegenError, match="differs in pipeline \\(its fingerprint is"):
        FolderJournal(out, SEAL, other).__enter__()
    with FolderJournal(out, SEAL, other, afresh=True) as journal:
        assert whole_entry(journal.store, 0) is None
        assert not (journal.stage / "images").exists()


@pytest.mark.parametrize("begun", [b"", b"{", b"[1]"])
def test_a_folder_that_nobody_knows_the_build_of_is_begun_anew(
    tmp_path: Path, begun: bytes
) -> None:
    stage = tmp_path / ".out.part"
    fill(LocalStore(stage), 0)
    (stage / "build.json").write_bytes(begun)
    with FolderJournal(tmp_path / "out", SEAL, {"pipeline": "a"}) as journal:
        assert whole_entry(journal.store, 0) is None
        assert json.loads((journal.stage / "build.json").read_bytes()) == {"pipeline": "a"}


def _hold(out: str, ready: Any, over: Any) -> None:
    with FolderJournal(Path(out), SEAL, {}) as journal:
        fill(journal.store, 0)
        ready.set()
        over.wait(60)


def test_a_folder_has_one_builder_at_a_time(tmp_path: Path) -> None:
    out = tmp_path / "out"
    context = multiprocessing.get_context("spawn")
    ready, over = context.Event(), context.Event()
    other = context.Process(target=_hold, args=(str(out), ready, over))
    other.start()
    try:
        assert ready.wait(60)
        with pytest.raises(RosegenError, match="another process builds it at this moment"):
            FolderJournal(out, SEAL, {}).__enter__()
    finally:
        over.set()
        other.join(60)
    assert other.exitcode == 0
    with FolderJournal(out, SEAL, {}) as journal:
        assert whole_entry(journal.store, 0) is not None


def test_what_stands_under_the_name_is_replaced_only_when_told(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write_text(out / SEAL, "old")
    with pytest.raises(RosegenError, match="give --force to replace it"):
        FolderJournal(out, SEAL, {}).__enter__()
    with FolderJournal(out, SEAL, {}, afresh=True) as journal:
        journal.store.keep(SEAL, b"new")
        assert (out / SEAL).read_text() == "old"
        journal.finish(replace=True)
    assert (out / SEAL).read_text() == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_what_appears_while_building_is_not_replaced(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(RosegenError, match="give --force"), FolderJournal(out, SEAL, {}) as journal:
        fill(journal.store, 0)
        journal.store.keep(SEAL, b"new")
        write_text(out / SEAL, "old")
        journal.finish(replace=False)
    assert (out / SEAL).read_text() == "old"
    with FolderJournal(out, SEAL, {}, afresh=True) as journal:
        assert journal.is_sealed  # nothing need be done again
        journal.finish(replace=True)
    assert (out / SEAL).read_text() == "new"


def test_a_stream_that_breaks_off_leaves_no_file(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    with pytest.raises(KeyError), store.writer("rows.jsonl") as out:
        out.write(b"half")
        raise KeyError
    assert not (tmp_path / "rows.jsonl").exists()
    assert list(tmp_path.iterdir()) == []
