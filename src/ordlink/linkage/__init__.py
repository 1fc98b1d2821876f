"""Linkage: active single and complete, average, 4-AL, and spectral splits."""

from ordlink.linkage._active_complete import complete_linkage
from ordlink.linkage._active_single import single_linkage
from ordlink.linkage._average import average_linkage
from ordlink.linkage._average_features import average_linkage_of_features
from ordlink.linkage._four_al import quadruplets_average_linkage
from ordlink.linkage._numbering import in_own_numbers, new_pair_ids, renumber
from ordlink.linkage._spectral import spectral_linkage
from ordlink.linkage._start import Start, start_from

__all__ = [
    "Start",
    "average_linkage",
    "average_linkage_of_features",
    "complete_linkage",
    "in_own_numbers",
    "new_pair_ids",
    "quadruplets_average_linkage",
    "renumber",
    "single_linkage",
    "spectral_linkage",
    "start_from",
]
