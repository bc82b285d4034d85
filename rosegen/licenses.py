"""Licences by SPDX expression: which texts are one, and which a benchmark allows."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Mapping
from functools import cache, lru_cache
from typing import Any

from rosegen.errors import RosegenError


def is_allowed(expression: str, allowed: Collection[str]) -> bool:
    """Whether art under an SPDX expression may be used where only some licences are allowed.

    Of alternatives (``OR``) one must be allowed, of what holds together (``AND``) all; a licence
    with an exception (``WITH``) must be allowed as it stands. Letters' case does not matter.

    Raises:
        RosegenError: it is no SPDX expression.
    """
    import boolean  # noqa: PLC0415  # wanted only where licences are named

    tree = _parsed(expression)
    names = {name.casefold() for name in allowed}

    def holds(node: Any) -> bool:
        if isinstance(node, boolean.OR):
            return any(holds(part) for part in node.args)
        if isinstance(node, boolean.AND):
            return all(holds(part) for part in node.args)
        return str(node).casefold() in names

    return holds(tree)


@lru_cache(maxsize=1024)
def license_problem(expression: str) -> str | None:
    """Why a text is no SPDX expression, in words that name the nearest id; None when it is one.

    Ids are those of SPDX's list, deprecated ones too, and ``LicenseRef-...`` for any other.
    """
    try:
        _parsed(expression)
    except RosegenError as error:
        return str(error)
    return None


def entry_problem(entry: str) -> str | None:
    """Why a text cannot be one entry of a list of allowed licences; None when it can."""
    problem = license_problem(entry)
    if problem is None and len(_parsed(entry).get_literals()) > 1:
        return f"{entry!r} is more than one licence: give each an entry of its own"
    return problem


def _parsed(expression: str) -> Any:
    """The tree of an SPDX expression.

    Raises:
        RosegenError: it is none.
    """
    import boolean  # noqa: PLC0415
    from license_expression import (  # noqa: PLC0415
        ExpressionError,
        LicenseWithExceptionSymbol,
    )

    if expression != " ".join(expression.split()):
        raise RosegenError(f"{expression!r} is no SPDX licence expression (it has stray spaces)")
    try:
        tree = _licensing().parse(expression)
    except (ExpressionError, boolean.ParseError) as error:
        reason = " ".join(str(error).split())
        raise RosegenError(f"{expression!r} is no SPDX licence expression ({reason})") from error
    if tree is None:
        raise RosegenError(f"{expression!r} is no SPDX licence expression (it is empty)")
    licenses, exceptions = _known_ids()
    for literal in sorted(tree.get_literals(), key=str):
        with_exception = isinstance(literal, LicenseWithExceptionSymbol)
        _refuse_unknown(str(literal.license_symbol if with_exception else literal), licenses)
        if with_exception:
            _refuse_unknown(str(literal.exception_symbol), exceptions)
    return tree


_OWN = re.compile(r"(DocumentRef-[A-Za-z0-9.-]+:)?(LicenseRef|AdditionRef)-[A-Za-z0-9.-]+")


def _refuse_unknown(name: str, known: Mapping[str, str]) -> None:
    """Refuse a name that is no id; ``+`` after a licence means later versions, too.

    Args:
        name: one licence or exception of an expression.
        known: ids, by themselves in lower case.

    Raises:
        RosegenError: it is none; the message names the nearest.
    """
    if _OWN.fullmatch(name) or name.removesuffix("+").casefold() in known:
        return
    near = _nearest(name, known)
    advice = f"is {near} meant?" if near else "name one of your own LicenseRef-..."
    raise RosegenError(f"{name!r} is no SPDX licence id: {advice}")


def _nearest(name: str, known: Mapping[str, str]) -> str | None:
    """The id that is the same but for its version, or else one spelled nearly so."""
    asked = re.sub(r"[\s_]+", "-", name.casefold())
    versions = {
        tuple(map(int, found[1].split("."))): given
        for short, given in known.items()
        if (found := re.fullmatch(re.escape(asked) + r"[-.](\d+(?:\.\d+)*)", short))
    }
    if versions:
        return versions[max(versions)]
    close = difflib.get_close_matches(asked, known, 1, 0.7)
    return known[close[0]] if close else None


def refuse_licenses(packs: Iterable[tuple[str, str]], allowed: Collection[str]) -> None:
    """Refuse art under a licence that is not among those allowed.

    Args:
        packs: name and licence of each piece of art.
        allowed: licences.

    Raises:
        RosegenError: naming everything that is not allowed, in one line.
    """
    refused = [f"{name} ({license})" for name, license in packs if not is_allowed(license, allowed)]
    if refused:
        raise RosegenError(
            f"licenses allows {', '.join(allowed)}, but not that of {', '.join(refused)}: "
            f"take other packs, or add the licence to licenses in the pipeline"
        )


@cache
def _licensing() -> Any:
    from license_expression import Licensing  # noqa: PLC0415

    return Licensing()  # without its list of known names, in which LicenseRef-... is none


@cache
def _known_ids() -> tuple[Mapping[str, str], Mapping[str, str]]:
    """SPDX's licences and its exceptions, by themselves in lower case."""
    from license_expression import get_license_index  # noqa: PLC0415

    found: tuple[dict[str, str], dict[str, str]] = {}, {}
    for entry in get_license_index():
        for name in (entry["spdx_license_key"], *entry["other_spdx_license_keys"]):
            if name and not name.startswith("LicenseRef-"):
                found[entry["is_exception"]][name.casefold()] = name
    return found
