"""Vectors as they are stored, and how near they are to a query's. Imports numpy: where no vectors
are used nobody imports this module (`tests/walls/test_numpy.py`)."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

AT_ONCE = 4_000  # vectors that are read as numbers together
# Most texts are about something else, and how near those are says what a model calls far. What
# stands out by less than two deviations counts for nothing: so much does chance.
CHANCE = 2.0
ENOUGH = 50  # texts that tell what chance does; of fewer it takes away less
_LEAST = 1e-3
_PLACES = 3  # that one sum is rounded otherwise than another makes nothing nearer

Floats = NDArray[np.float32]


def packed(vector: Sequence[float]) -> bytes:
    """Of length 1, in half precision; one of zeros stays so."""
    values = np.asarray(vector, np.float64)
    values = values / (np.abs(values).max() or 1.0)
    size = float(np.linalg.norm(values)) or 1.0
    return (values / size).astype(np.float16).tobytes()


def nearness(query: bytes, vectors: Sequence[bytes]) -> list[float]:
    """Of each, 0..1: how far it stands out among all of them, of what it could."""
    if not vectors:
        return []
    wanted = np.frombuffer(query, np.float16).astype(np.float32)
    cosines = np.concatenate(
        [_numbers(vectors[at : at + AT_ONCE]) @ wanted for at in range(0, len(vectors), AT_ONCE)]
    )
    middle, deviation = float(cosines.mean()), float(cosines.std())
    room = 1.0 - middle
    if room < _LEAST:
        return [0.0] * len(vectors)
    floor = middle + CHANCE * min(1.0, len(vectors) / ENOUGH) * deviation
    near: list[float] = np.clip((cosines - floor) / room, 0.0, 1.0).round(_PLACES).tolist()
    return near


def _numbers(vectors: Sequence[bytes]) -> Floats:
    joined = np.frombuffer(b"".join(vectors), np.float16)
    return joined.reshape(len(vectors), -1).astype(np.float32)
