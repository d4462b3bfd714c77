"""Vectors as they are stored, and how near they are to a query's. Imports numpy: where no vectors
are used nobody imports this module (`tests/walls/test_numpy.py`)."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

AT_ONCE = 256  # vectors whose numbers fit a processor's cache; of more BLAS wakes its threads
LARGEST = 127
# Most texts are about something else, and how near those are says what a model calls far. What
# stands out by less than two deviations counts for nothing: so much does chance.
CHANCE = 2.0
ENOUGH = 50  # texts that tell what chance does; of fewer it takes away less
_LEAST = 1e-3
_PLACES = 3  # that one sum is rounded otherwise than another makes nothing nearer


def packed(vector: Sequence[float]) -> bytes:
    """Its length, and a byte for each of its numbers, as shares of the largest."""
    values = _scaled(vector) * LARGEST
    numbers = values.round().astype(np.int8)
    size = np.linalg.norm(numbers.astype(np.float32)) or 1.0
    return np.float32(size).tobytes() + numbers.tobytes()


def nearness(query: Sequence[float], vectors: Sequence[bytes]) -> list[float]:
    """Of each, 0..1: how far it stands out among all of them, of what it could."""
    if not vectors:
        return []
    scaled = _scaled(query)
    wanted = (scaled / (np.linalg.norm(scaled) or 1.0)).astype(np.float32)
    starts = range(0, len(vectors), AT_ONCE)
    cosines = np.concatenate([_cosines(wanted, vectors[at : at + AT_ONCE]) for at in starts])
    middle, deviation = float(cosines.mean()), float(cosines.std())
    room = 1.0 - middle
    if room < _LEAST:
        return [0.0] * len(vectors)
    floor = middle + CHANCE * min(1.0, len(vectors) / ENOUGH) * deviation
    near: list[float] = np.clip((cosines - floor) / room, 0.0, 1.0).round(_PLACES).tolist()
    return near


def _cosines(query: NDArray[np.float32], vectors: Sequence[bytes]) -> NDArray[np.float32]:
    form = np.dtype([("size", np.float32), ("numbers", np.int8, len(query))])
    rows = np.frombuffer(b"".join(vectors), form)
    found: NDArray[np.float32] = rows["numbers"].astype(np.float32) @ query / rows["size"]
    return found


def _scaled(vector: Sequence[float]) -> NDArray[np.float64]:
    """So that no square is too large; one of zeros stays so."""
    values = np.asarray(vector, np.float64)
    return values / (np.abs(values).max() or 1.0)
