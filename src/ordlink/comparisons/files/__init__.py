"""Files of comparisons: CSV, TSV, Parquet, NPZ and JSON lines."""

from ordlink.comparisons.files._chunks import read_in_chunks
from ordlink.comparisons.files._names import read_names
from ordlink.comparisons.files._read import read_comparisons
from ordlink.comparisons.files._write import write_comparisons

__all__ = ["read_comparisons", "read_in_chunks", "read_names", "write_comparisons"]
