"""Starting points: a package with a source of one's own, and a pipeline file."""

from __future__ import annotations

from rosegen.new.pipeline_file import Folder, new_pipeline
from rosegen.new.source_package import new_source

__all__ = ["Folder", "new_pipeline", "new_source"]
