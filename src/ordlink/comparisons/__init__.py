"""Comparisons: the container, the answer forms, passive sampling, files."""

from ordlink.comparisons._base import Comparisons
from ordlink.comparisons._build import list_answers
from ordlink.comparisons._chunks import ChunksSummary, check_chunks, summarise_chunks
from ordlink.comparisons._columns import ComparisonColumns, compress, row_sums
from ordlink.comparisons._details import AnswerDetails, check_sides
from ordlink.comparisons._forms import FORMS, AnswerForm, find_form
from ordlink.comparisons._listed import ListedComparisons, concatenate
from ordlink.comparisons._net import (
    NetComparisons,
    Repeats,
    check_repeats,
    check_weights,
    net_comparisons,
)
from ordlink.comparisons._pairs import n_pairs, pair_ids, pair_members, square
from ordlink.comparisons._ranked import RankedComparisons
from ordlink.comparisons._similarities import check_similarities
from ordlink.comparisons._summary import ComparisonsSummary, find_named, find_parts
from ordlink.comparisons._wins import net_wins, wins_minus_losses

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
    "net_comparisons",
    "net_wins",
    "pair_ids",
    "pair_members",
    "row_sums",
    "square",
    "summarise_chunks",
    "wins_minus_losses",
]
