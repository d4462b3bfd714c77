"""The rules extractor: what people said that is worth keeping, found without a model."""

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from types import ModuleType

from memoryweb.extraction.rules.lines import NoteLine, Spoken

__all__ = ["NoteLine", "Spoken", "extract"]


def extract(
    window: Sequence[Spoken], *, speaker: str = "", already: Sequence[str] = ()
) -> list[NoteLine]:
    """What people said in `window` that is worth keeping, in order; empty when nothing is.

    `speaker` names user messages without a name; nothing that `already` says is returned again.
    """
    found: list[NoteLine] = _extractor().extract(window, speaker=speaker, already=already)
    return found


@cache
def _extractor() -> ModuleType:
    """Loaded by the first extraction: its rules for dates take a command longer than its work."""
    return import_module("memoryweb.extraction.rules.extractor")
