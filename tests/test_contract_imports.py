"""The import contract: data moves one way, and a module imports only what stands to its left."""

from __future__ import annotations

import ast
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import rosegen

PACKAGE = Path(rosegen.__file__).parent

# From left to right. A package stands as one; inside it there are only no circles.
ORDER = (
    "rosegen",
    "errors",
    "files",
    "data",
    "yaml_file",
    "toolchain",
    "draws",
    "geometry",
    "protocol",
    "engine",
    "row_files",
    "licenses",
    "scene",
    "wording",
    "packs",
    "render",
    "sources",
    "settings",
    "cue_contrast",
    "pipeline_checks",
    "pipeline",
    "pair_list",
    "tasks",
    "plan",
    "placement",
    "workshop",
    "opening",
    "pairing",
    "selection",
    "release",
    "portion",
    "build",
    "merging",
    "preview",
    "curation",
    "verify",
    "scoring",
    "replay",
    "testing",
    "new",
    "findings",
    "doctor_pipeline",
    "doctor",
    "cli",
    "__main__",
)

# What proves or scores a release may not lean on what built it, nor an engine on what it drives.
ALONE = {
    "engine": {"errors", "files", "engine"},
    "verify": {"errors", "data", "engine", "verify"},
    "scoring": {"errors", "files", "geometry", "protocol", "row_files", "scene", "scoring"},
}

MODULES = {
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts): path
    for path in sorted(PACKAGE.rglob("*.py"))
    if "_bundled" not in path.parts
}


def imports(module: str) -> list[tuple[int, str]]:
    """Line and name of each module of rosegen that a module imports, anywhere in it.

    What is imported for its types alone does not count: nothing runs.
    """
    path = MODULES[module]
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for_types = {
        inside
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for part in node.body
        for inside in ast.walk(part)
    }
    found = []
    for node in ast.walk(tree):
        if node in for_types:
            continue
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                package = module.split(".")[: -node.level or None]
                base = ".".join([*package, *base.split(".")]).rstrip(".")
            names = [
                full if (full := f"{base}.{alias.name}") in known() else base
                for alias in node.names
            ]
        else:
            continue
        found += [(node.lineno, name) for name in names if name.split(".")[0] == "rosegen"]
    return found


def known() -> set[str]:
    return {name.removesuffix(".__init__") for name in MODULES}


def place_of(module: str) -> str:
    """The name in ``ORDER`` a module belongs to."""
    parts = [part for part in module.split(".") if part != "__init__"]
    return parts[1] if len(parts) > 1 else parts[0]


# The public face may name everything, for it imports it only when it is asked for.
FACE = "rosegen.__init__"


@pytest.mark.parametrize("module", [name for name in MODULES if name != FACE])
def test_a_module_imports_only_what_stands_to_its_left(module: str) -> None:
    own = place_of(module)
    assert own in ORDER, f"give {own} a place in ORDER"
    wrong = [
        f"{MODULES[module].relative_to(PACKAGE.parent).as_posix()}:{line} imports {name}"
        for line, name in imports(module)
        if place_of(name) != own
        and (
            ORDER.index(place_of(name)) > ORDER.index(own)
            or place_of(name) not in ALONE.get(own, {*ORDER}) | {"rosegen"}
        )
    ]
    assert not wrong


def test_importing_rosegen_imports_nothing_else_of_it() -> None:
    program = "import rosegen, sys; print([m for m in sys.modules if m.startswith('rosegen.')])"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
    assert all(hasattr(rosegen, name) for name in rosegen.__all__)


def test_no_module_leads_back_to_itself() -> None:
    graph = {
        module.removesuffix(".__init__"): {name for _, name in imports(module)}
        for module in MODULES
        if module != FACE
    }
    for module, names in graph.items():
        names.discard(module)
    try:
        TopologicalSorter(graph).prepare()
        circle = []
    except CycleError as error:
        circle = error.args[1]
    assert circle == []


def test_the_order_names_nothing_that_is_gone() -> None:
    there = {place_of(module) for module in MODULES}
    assert [name for name in ORDER if name not in there] == []
