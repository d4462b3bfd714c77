"""What people ask to be forgotten: which sentences ask it, and what else says what they mean.

A new way to ask, or a new topic, is one row of a language's table.
"""

from memoryweb.language.forget_requests.detection import (
    Forget,
    agrees,
    asks_to_forget,
    forgets,
    is_own_wish,
    meanings,
    tells_of_oneself,
)
from memoryweb.language.forget_requests.meaning import Fit, Meaning, fit, meant_by

__all__ = [
    "Fit",
    "Forget",
    "Meaning",
    "agrees",
    "asks_to_forget",
    "fit",
    "forgets",
    "is_own_wish",
    "meanings",
    "meant_by",
    "tells_of_oneself",
]
