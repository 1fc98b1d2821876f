"""A self-contained page on how well the answers support a tree, for a supplement."""

from ordlink.report._comparison import comparison_section, with_error
from ordlink.report._evidence import Evidence, gather_evidence
from ordlink.report._page import Making, making_time, report_page

__all__ = [
    "Evidence",
    "Making",
    "comparison_section",
    "gather_evidence",
    "making_time",
    "report_page",
    "with_error",
]
