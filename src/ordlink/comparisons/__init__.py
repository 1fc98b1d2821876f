"""Comparisons: the container, the answer forms, passive sampling."""

from ordlink.comparisons._answers import FORMS, AnswerForm, find_form, list_answers
from ordlink.comparisons._base import AnswerDetails, Comparisons, check_sides
from ordlink.comparisons._listed import ListedComparisons, check_chunks, concatenate
from ordlink.comparisons._net import (
    ComparisonColumns,
    NetComparisons,
    Repeats,
    check_repeats,
    check_weights,
    compress,
    net_comparisons,
    net_wins,
    row_sums,
    wins_minus_losses,
)
from ordlink.comparisons._pairs import n_pairs, natural_key, pair_ids, pair_members, square
from ordlink.comparisons._ranked import RankedComparisons, check_similarities
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
