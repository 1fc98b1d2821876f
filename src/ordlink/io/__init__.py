"""Files of comparisons: CSV, TSV, Parquet, NPZ and JSON lines."""

from ordlink.io._chunks import read_in_chunks
from ordlink.io._names import read_names
from ordlink.io._read import read_comparisons
from ordlink.io._source import Source, reading
from ordlink.io._write import write_comparisons

__all__ = [
    "Source",
    "read_comparisons",
    "read_in_chunks",
    "read_names",
    "reading",
    "write_comparisons",
]
