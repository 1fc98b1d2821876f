"""A self-contained page on how well the answers support a tree, for a supplement."""

from ordlink.report._evidence import Evidence, gather_evidence
from ordlink.report._page import Making, making_time, report_page
from ordlink.report._words import firm_branches

__all__ = [
    "Evidence",
    "Making",
    "firm_branches",
    "gather_evidence",
    "making_time",
    "report_page",
]
