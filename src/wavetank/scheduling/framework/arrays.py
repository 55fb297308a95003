"""The array types that plugins pass around."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
NumberArray = npt.NDArray[np.int64] | npt.NDArray[np.float64]
