"""Write a package with a source that works: code, contract test, pipeline, project file."""

from __future__ import annotations

import importlib.util
import keyword
import re
import sys
from pathlib import Path
from string import Template

from rosegen.errors import RosegenError
from rosegen.files import placed, write_text
from rosegen.sources.registry import broken_kinds, kinds

_TEMPLATES = Path(__file__).with_name("templates")


def new_source(name: str, out: Path | None = None) -> list[Path]:
    """Write the package.

    Args:
        name: of the kind and of its module.
        out: the package's folder, which must be empty or not there yet; None for ``name``.

    Returns:
        The files written.

    Raises:
        RosegenError: the name or the folder is no use; nothing is written then.
    """
    _refuse_name(name)
    out = Path(name) if out is None else out
    if out.is_dir() and any(out.iterdir()):
        raise RosegenError(f"{out}: holds files already: name another folder by --out")
    words = _words(name)
    files = {
        "README.md": "README.md.txt",
        "pyproject.toml": "pyproject.toml.txt",
        f"{name}.py": "source.py.txt",
        "pipeline.yaml": "pipeline.yaml.txt",
        f"tests/test_{name}.py": "test_source.py.txt",
    }
    with placed(out) as stage:
        for path, template in files.items():
            text = (_TEMPLATES / template).read_text(encoding="utf-8")
            write_text(stage / path, Template(text).substitute(words))
    return [out / path for path in files]


def _words(name: str) -> dict[str, str]:
    parts = [part for part in name.split("_") if part]
    return {
        "name": name,
        "class_name": "".join(part[0].upper() + part[1:] for part in parts),
        "primitive_type": name.upper(),
        "prefix": prefix_of(name),
        "distribution": "-".join(["rosegen", *parts]),
    }


def prefix_of(name: str) -> str:
    """What ids of a subset begin with: the first four letters of its name."""
    letters = re.sub(r"[^A-Z0-9]", "", name.upper()).lstrip("0123456789")
    return letters[:4] or "NEW"


def _refuse_name(name: str) -> None:
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or keyword.iskeyword(name):
        raise RosegenError(
            f"{name!r} cannot be the name of a Python module: use small letters, digits and _, "
            f"such as my_shapes"
        )
    if name in kinds() or name in broken_kinds():
        raise RosegenError(f"there is a kind {name!r} already: choose another name")
    if name in sys.stdlib_module_names or _is_installed(name):
        raise RosegenError(f"there is a Python module {name!r} already: choose another name")


def _is_installed(name: str) -> bool:
    found = importlib.util.find_spec(name)
    # A mere folder of that name, which has no origin, is in nobody's way.
    return found is not None and found.origin is not None
