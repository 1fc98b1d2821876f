"""Files of comparisons: CSV, TSV, Parquet, NPZ and JSON lines."""

from ordlink.io._names import read_names
from ordlink.io._read import read_comparisons, read_in_chunks
from ordlink.io._source import InputFile, find_delimiter, reading
from ordlink.io._write import write_comparisons

__all__ = [
    "InputFile",
    "find_delimiter",
    "read_comparisons",
    "read_in_chunks",
    "read_names",
    "reading",
    "write_comparisons",
]
