"""What the tests of verify share: a release's report, and the one fault it must have."""

from __future__ import annotations

from rosegen.verify import verify_release
from rosegen.verify.report import Fault, Report
from tests.verify.release_maker import Release


def verified(release: Release) -> Report:
    """The report of a release, in this process."""
    return verify_release(release.root, workers=1)


def check_only(found: Release | Report, kind: str, where: str, detail: str, most: int = 1) -> Fault:
    """A release's first fault, which must be this one; no more than ``most`` in all."""
    report = verified(found) if isinstance(found, Release) else found
    shown = "\n".join(map(str, report.faults))
    assert not report.ok, "nothing was found"
    first = report.faults[0]
    assert (first.kind, where in first.where) == (kind, True), shown
    assert detail in first.detail, shown
    assert len(report.faults) <= most, shown
    return first
