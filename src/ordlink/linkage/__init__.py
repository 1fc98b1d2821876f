"""Linkage: active single and complete, average on a matrix or features, and 4-AL on comparisons."""

from ordlink.linkage._active_complete import complete_linkage
from ordlink.linkage._active_single import single_linkage
from ordlink.linkage._average import average_linkage
from ordlink.linkage._average_features import average_linkage_of_features
from ordlink.linkage._four_al import quadruplets_average_linkage
from ordlink.linkage._start import Start, start_from

__all__ = [
    "Start",
    "average_linkage",
    "average_linkage_of_features",
    "complete_linkage",
    "quadruplets_average_linkage",
    "single_linkage",
    "start_from",
]
