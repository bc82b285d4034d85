"""``docs/new-source.md``: whoever follows it gets what it says."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from rosegen.new import new_source
from tests.core_maker import ROOT
from tests.new.test_source_package import python

PAGE = (ROOT / "docs" / "new-source.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def put_in_place(code: str, block: str) -> str:
    """A class's code with what a block's class defines in place of what has the same name."""
    (new,) = ast.parse(block).body
    (old,) = [node for node in ast.parse(code).body if isinstance(node, ast.ClassDef)]
    assert isinstance(new, ast.ClassDef)
    places = {name_of(node): node for node in old.body}
    lines, given = code.splitlines(), block.splitlines()
    for node in reversed(new.body):
        place = places[name_of(node)]
        assert place.end_lineno is not None
        assert node.end_lineno is not None
        lines[place.lineno - 1 : place.end_lineno] = given[node.lineno - 1 : node.end_lineno]
        places = {
            name_of(each): each
            for node in ast.parse("\n".join(lines)).body
            if isinstance(node, ast.ClassDef)
            for each in node.body
        }
    return "\n".join(lines) + "\n"


def name_of(node: ast.stmt) -> str:
    if isinstance(node, ast.FunctionDef):
        return node.name
    return node.targets[0].id if isinstance(node, ast.Assign) else ""  # type: ignore[attr-defined]


def take_out(path: Path, *texts: str) -> None:
    code = path.read_text(encoding="utf-8")
    for text in texts:
        assert text in code, text
        code = code.replace(text, "")
    path.write_text(code, encoding="utf-8")


@pytest.fixture
def moons(tmp_path: Path) -> Path:
    new_source("moons", tmp_path / "moons")
    return tmp_path / "moons"


def test_the_moon_is_told_what_is_wrong_and_then_passes(moons: Path) -> None:
    module, pytest_run = moons / "moons.py", ("-m", "pytest", "-q", "-p", "no:cacheprovider")
    take_out(module, "import math\n\n", "from PIL import Image, ImageDraw\n")
    module.write_text(put_in_place(module.read_text("utf-8"), BLOCKS[0]), encoding="utf-8")
    failed = python(*pytest_run, cwd=moons, paths=(moons,))
    assert failed.returncode == 1, failed.stdout + failed.stderr
    (told,) = re.findall(r"^    - (fields: .*)$", PAGE, re.MULTILINE)
    assert told in failed.stdout
    module.write_text(put_in_place(module.read_text("utf-8"), BLOCKS[1]), encoding="utf-8")
    take_out(module, '    options = {"cut": {"type": "number", "minimum": 0.05, "maximum": 0.5}}\n')
    take_out(moons / "tests" / "test_moons.py", 'options={"cut": 0.5}, ')
    take_out(moons / "pipeline.yaml", "    options: {cut: 0.25}\n")
    passed = python(*pytest_run, cwd=moons, paths=(moons,))
    assert passed.returncode == 0, passed.stdout + passed.stderr


def test_every_command_that_it_names_is_there() -> None:
    for group, command in re.findall(r"^    rosegen (new|sources) (\w+)", PAGE, re.MULTILINE):
        asked = python("-m", "rosegen", group, command, "--help", cwd=ROOT, paths=())
        assert asked.returncode == 0, asked.stderr
