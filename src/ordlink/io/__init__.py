"""Files of answers: text, spreadsheets, JSON, Parquet, NPZ, and exports of other tools."""

from ordlink.io._files import read_answers, read_comparisons, read_in_chunks, write_comparisons
from ordlink.io._pieces import parquet_rows
from ordlink.io._source import InputFile, find_delimiter, read_names, reading

__all__ = [
    "InputFile",
    "find_delimiter",
    "parquet_rows",
    "read_answers",
    "read_comparisons",
    "read_in_chunks",
    "read_names",
    "reading",
    "write_comparisons",
]
