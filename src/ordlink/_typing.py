"""Array aliases used in the signatures of the package."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

AnyArray: TypeAlias = NDArray[Any]
"""Any array; where a function checks the kind itself."""
Int8Array: TypeAlias = NDArray[np.int8]
"""Answers of an oracle: +1, -1, 0."""
Int32Array: TypeAlias = NDArray[np.int32]
"""Indices of objects, pairs and nodes."""
PairIdArray: TypeAlias = NDArray[Any]
"""Ids of pairs: int32, or int64 for more than 65,535 objects."""
Int64Array: TypeAlias = NDArray[np.int64]
"""Counts, and keys made of two pair ids."""
Float32Array: TypeAlias = NDArray[np.float32]
"""Estimates that are checked in whole numbers."""
FloatArray: TypeAlias = NDArray[np.float64]
"""Similarities and scores."""
LabelArray: TypeAlias = NDArray[np.intp]
"""Cluster labels."""
BoolArray: TypeAlias = NDArray[np.bool_]
"""Masks."""
Progress: TypeAlias = Callable[[int, int], None]
"""Called from time to time with (steps done, total steps)."""
