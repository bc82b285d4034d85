"""Find the rows of metadata: in a release's folder, in one file, or on the Hugging Face Hub."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rosegen.errors import RosegenError
from rosegen.row_files import Row, name_of, read_rows
from rosegen.scoring.predictions import rows_of

ROSE_REPO = "sysuwyh357/ROSE-v0.1"
_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")
_SUFFIXES = (".jsonl", ".jsonl.gz", ".parquet")


@dataclass(frozen=True)
class Metadata:
    """Where rows of metadata are, and what to say of it in a summary."""

    source: Any  # a Path, a DataFrame or rows
    shown: str | None  # the path, resolved
    repo_id: str | None = None  # of a release on the Hub
    revision: str | None = None  # the commit it was read at
    folder: Path | None = None  # of a release on disk, where its images are

    @property
    def called(self) -> str:
        """What errors call it."""
        return self.shown or "the metadata given"

    @property
    def is_rosegens(self) -> bool:
        """Whether the rows stand in a release that rosegen made."""
        if self.folder is None:
            return False
        try:
            summary = json.loads((self.folder / "export_summary.json").read_bytes())
        except (OSError, ValueError, RecursionError):
            return False
        return isinstance(summary, dict) and "rosegen_version" in summary

    def rows(self, split: str) -> Iterator[tuple[str, Row]]:
        """(where, row) of each row of a split; a row without ``split`` is of every split."""
        if isinstance(self.source, Path):
            found: Iterable[tuple[str, Row]] = read_rows(self.source)
        else:
            found = rows_of(self.source)
        for where, row in found:
            if row.get("split") in (None, split):
                yield where, row


def find_metadata(
    release: str | Path | Any,
    split: str,
    *,
    revision: str | None = None,
    inside: str = "",
) -> Metadata:
    """Find the metadata of a split.

    Args:
        release: a release's folder, one file of metadata, the id of a dataset on the Hub
            (``owner/name``), a pandas DataFrame, or rows.
        split: ``test`` or ``dev``.
        revision: a branch, tag or commit on the Hub; what it points at is pinned.
        inside: a folder of the release, such as ``bridges/global_click``.

    Raises:
        RosegenError: there is no such release, file, split or revision.
    """
    if not isinstance(release, str | Path):
        return Metadata(release, None)
    try:
        path = Path(release).expanduser()
        if path.is_dir():
            return _in_folder(path, split, inside)
        if path.exists():
            return Metadata(path, name_of(path.resolve()), folder=path.resolve().parent)
    except OSError as error:
        raise RosegenError(f"{release}: cannot be read: {error.strerror or error}") from error
    except RuntimeError as error:
        raise RosegenError(
            f"{release}: there is no such home folder: write the path out"
        ) from error
    if isinstance(release, str) and _HUB_ID.fullmatch(release):
        return _on_hub(release, split, revision, inside)
    raise RosegenError(
        f"{release}: no such file or folder: give a release's folder, a file of metadata, "
        "or a dataset on the Hub as owner/name"
    )


def _in_folder(folder: Path, split: str, inside: str) -> Metadata:
    # A folder that is itself that of a bridge serves as well as the release that holds it.
    for place in (folder / inside, folder):
        for suffix in _SUFFIXES:
            path = place / f"metadata_{split}{suffix}"
            if path.is_file():
                return Metadata(path, name_of(path.resolve()), folder=folder.resolve())
    where = f"{inside}/" if inside else ""
    raise RosegenError(
        f"{folder}: holds no {where}metadata_{split}.jsonl: give a release's folder, "
        "or another --split"
    )


def _on_hub(repo_id: str, split: str, revision: str | None, inside: str) -> Metadata:
    from huggingface_hub import HfApi, hf_hub_download  # noqa: PLC0415
    from huggingface_hub.errors import (  # noqa: PLC0415
        EntryNotFoundError,
        GatedRepoError,
        LocalEntryNotFoundError,
        OfflineModeIsEnabled,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )

    name = f"{inside}/metadata_{split}.jsonl" if inside else f"metadata_{split}.jsonl"
    where = f"{repo_id} on the Hub (there is no such path here)"
    try:
        commit = HfApi().dataset_info(repo_id, revision=revision).sha
        path = hf_hub_download(repo_id, name, repo_type="dataset", revision=commit)
    except GatedRepoError as error:
        raise RosegenError(
            f"{where}: is gated: ask for access on its page, then run hf auth login"
        ) from error
    except RepositoryNotFoundError as error:
        raise RosegenError(
            f"{where}: there is no such dataset, or it is private: mend the id, "
            "or run hf auth login"
        ) from error
    except RevisionNotFoundError as error:
        raise RosegenError(f"{where}: there is no revision {revision}: name another") from error
    except LocalEntryNotFoundError as error:
        raise RosegenError(f"{where}: cannot be reached: look at your network") from error
    except EntryNotFoundError as error:
        raise RosegenError(f"{where}: holds no {name}: name another --split") from error
    except OfflineModeIsEnabled as error:
        raise RosegenError(f"{where}: HF_HUB_OFFLINE is set: unset it or give a folder") from error
    except Exception as error:  # of whichever HTTP library this huggingface_hub speaks through
        raise RosegenError(
            f"{where}: cannot be read ({_first_line(error)}): look at the network, or give a folder"
        ) from error
    return Metadata(Path(path), str(path), repo_id=repo_id, revision=commit)


def _first_line(error: Exception) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__)


def item_id_of(row: Mapping[str, Any], where: str) -> str:
    """The id of a row of metadata."""
    item_id = row.get("item_id")
    if item_id is None:
        raise RosegenError(f"{where}: has no item_id: this is no row of metadata")
    return name_of(item_id)
