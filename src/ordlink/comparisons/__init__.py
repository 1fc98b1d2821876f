"""Comparisons: the container, the answer forms, passive sampling."""

from ordlink.comparisons._base import Comparisons
from ordlink.comparisons._build import list_answers
from ordlink.comparisons._columns import ComparisonColumns, compress, row_sums
from ordlink.comparisons._details import AnswerDetails, check_sides
from ordlink.comparisons._forms import FORMS, AnswerForm, find_form
from ordlink.comparisons._listed import ListedComparisons, check_chunks, concatenate
from ordlink.comparisons._net import (
    NetComparisons,
    Repeats,
    check_repeats,
    check_weights,
    net_comparisons,
    net_wins,
    wins_minus_losses,
)
from ordlink.comparisons._objects import natural_key
from ordlink.comparisons._pairs import n_pairs, pair_ids, pair_members, square
from ordlink.comparisons._ranked import RankedComparisons
from ordlink.comparisons._similarities import check_similarities
from ordlink.comparisons._summary import (
    ChunksSummary,
    ComparisonsSummary,
    find_named,
    find_parts,
    summarise_chunks,
)

__all__ = [
    "FORMS",
    "AnswerDetails",
    "AnswerForm",
    "ChunksSummary",
    "ComparisonColumns",
    "Comparisons",
    "ComparisonsSummary",
    "ListedComparisons",
    "NetComparisons",
    "RankedComparisons",
    "Repeats",
    "check_chunks",
    "check_repeats",
    "check_sides",
    "check_similarities",
    "check_weights",
    "compress",
    "concatenate",
    "find_form",
    "find_named",
    "find_parts",
    "list_answers",
    "n_pairs",
    "natural_key",
    "net_comparisons",
    "net_wins",
    "pair_ids",
    "pair_members",
    "row_sums",
    "square",
    "summarise_chunks",
    "wins_minus_losses",
]
