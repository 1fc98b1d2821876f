"""A self-contained page on how well the answers support a tree, for a supplement."""

from ordlink.report._comparison import comparison_section, with_error
from ordlink.report._evidence import Evidence, gather_evidence
from ordlink.report._page import Making, making_time, report_page
from ordlink.report._paragraphs import methods_paragraph, paper_text, results_paragraph

__all__ = [
    "Evidence",
    "Making",
    "comparison_section",
    "gather_evidence",
    "making_time",
    "methods_paragraph",
    "paper_text",
    "report_page",
    "results_paragraph",
    "with_error",
]
