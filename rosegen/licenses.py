"""Which licences a benchmark allows, by SPDX expression."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cache
from typing import Any

from rosegen.errors import RosegenError


def is_allowed(expression: str, allowed: Collection[str]) -> bool:
    """Whether art under an SPDX expression may be used where only some licences are allowed.

    Of alternatives (``OR``) one must be allowed, of what holds together (``AND``) all; a licence
    with an exception (``WITH``) must be allowed as it stands. Letters' case does not matter.

    Raises:
        RosegenError: the expression cannot be read.
    """
    import boolean  # noqa: PLC0415  # wanted only where a pipeline names licences
    from license_expression import ExpressionError  # noqa: PLC0415

    try:
        tree = _licensing().parse(expression)
    except (ExpressionError, boolean.ParseError) as error:
        reason = " ".join(str(error).split())
        raise RosegenError(f"{expression!r} is no SPDX licence expression ({reason})") from error
    if tree is None or any(" " in str(name).replace(" WITH ", "") for name in tree.get_literals()):
        raise RosegenError(
            f"{expression!r} is no SPDX licence expression (join licences by AND, OR or WITH)"
        )
    names = {name.casefold() for name in allowed}

    def holds(node: Any) -> bool:
        if isinstance(node, boolean.OR):
            return any(holds(part) for part in node.args)
        if isinstance(node, boolean.AND):
            return all(holds(part) for part in node.args)
        return str(node).casefold() in names

    return holds(tree)


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

    return Licensing()  # without its list of known names: LicenseRef-... is one too
