"""The doctor names what is missing, and the command that mends it."""

from __future__ import annotations

import json
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from rosegen import doctor
from rosegen.cli import main
from rosegen.doctor import examine


def test_everything_a_build_depends_on_is_looked_at() -> None:
    found = {each.what: each for each in examine()}
    for what in (
        "python",
        "freetype",
        "raqm",
        "resvg",
        "harfbuzz",
        "pip",
        "cache",
        "packs",
        "kinds",
    ):
        assert what in found
    assert found["resvg"].ok
    assert found["packages"].ok
    assert all(each.mend for each in found.values() if not each.ok)


def test_a_missing_package_comes_with_the_command_that_brings_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = doctor.version

    def version(name: str) -> str:
        if name == "orjson":
            raise PackageNotFoundError(name)
        return "0.1" if name == "numpy" else real(name)

    monkeypatch.setattr(doctor, "requires", lambda name: ["orjson>=3.10", "numpy>=1.26"])
    monkeypatch.setattr(doctor, "version", version)
    found = {each.what: each for each in examine()}
    assert (found["orjson"].ok, found["orjson"].detail) == (False, "absent")
    assert found["orjson"].mend.startswith("pip install 'orjson")
    assert (found["numpy"].ok, found["numpy"].detail) == (False, "0.1")
    assert "packages" not in found


def test_an_empty_cache_says_what_to_fetch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROSEGEN_CACHE", str(tmp_path / "cache"))
    packs = next(each for each in examine() if each.what == "packs")
    assert not packs.ok
    assert packs.mend.startswith("rosegen assets fetch ")
    assert "twemoji" in packs.mend


def test_a_full_disk_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    class Usage:
        free = 10**8

    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda folder: Usage)
    found = {each.what: each for each in examine()}
    assert not found["cache"].ok
    assert "0.1 GB free" in found["cache"].detail
    assert "ROSEGEN_CACHE" in found["cache"].mend


@pytest.mark.parametrize(
    ("text", "what", "says"),
    [
        ("kind: sprite, scenes: 2", "Mine", "kind sprite"),
        ("kind: sprite, scenes: 2, packs: [nowhere]", "Mine", "no asset pack 'nowhere'"),
        ("kind: spright, scenes: 2", "pipeline", "unknown kind 'spright'"),
        (
            "kind: sprite, scenes: 2, packs: [{folder: gone, license: MIT, attribution: me}]",
            "Mine",
            "names a missing folder",
        ),
    ],
)
def test_a_pipeline_is_looked_at_too(text: str, what: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    subset = f"  - {{name: Mine, prefix: MI, {text}}}\n"
    path.write_text(f"format: 1\nname: Mine\nsubsets:\n{subset}", encoding="utf-8")
    found = {each.what: each for each in examine(path)}
    assert says in found[what].detail
    assert found[what].ok is (says == "kind sprite")


def test_the_command_line_prints_a_line_each_or_json(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["doctor"], ["doctor", "--json"]):
        try:
            main(arguments)
        except SystemExit as ended:
            assert ended.code == 1  # something on this machine is not as it should be
        out = capsys.readouterr().out
        if "--json" in arguments:
            assert {"what", "ok", "detail", "mend"} == set(json.loads(out)[0])
        else:
            assert all(line.startswith(("ok ", "BAD", "    ")) for line in out.splitlines())
