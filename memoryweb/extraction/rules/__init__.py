"""The rules extractor: what people said that is worth keeping, found without a model."""

from memoryweb.extraction.rules.extractor import extract
from memoryweb.extraction.rules.lines import NoteLine, Spoken

__all__ = ["NoteLine", "Spoken", "extract"]
