"""What one sentence claims: what kind of thing it is, whose, which attribute has which value.

A new way to say something is one row of a language's table.
"""

from memoryweb.language.extraction_rules.comparing import clash, is_other_value, takes_back
from memoryweb.language.extraction_rules.model import HEADINGS, Act, Claim, Kind
from memoryweb.language.extraction_rules.own_words import adds, tells_of_life, tells_of_self
from memoryweb.language.extraction_rules.reading import (
    Sentence,
    claim_of,
    instructs,
    is_ahead,
    is_pronoun,
    languages_of,
    lasts,
    may_rival,
    name_before,
    spoken_of,
)
from memoryweb.language.extraction_rules.relative_dates import (
    dates_in,
    resolved,
    without_dates,
)
from memoryweb.language.extraction_rules.remembering import (
    is_for_later,
    last_day,
    means_what_stood_before,
)
from memoryweb.language.extraction_rules.short_answers import answered
from memoryweb.language.extraction_rules.speakers import is_own_word, of_speaker

__all__ = [
    "HEADINGS",
    "Act",
    "Claim",
    "Kind",
    "Sentence",
    "adds",
    "answered",
    "claim_of",
    "clash",
    "dates_in",
    "instructs",
    "is_ahead",
    "is_for_later",
    "is_other_value",
    "is_own_word",
    "is_pronoun",
    "languages_of",
    "last_day",
    "lasts",
    "may_rival",
    "means_what_stood_before",
    "name_before",
    "of_speaker",
    "resolved",
    "spoken_of",
    "takes_back",
    "tells_of_life",
    "tells_of_self",
    "without_dates",
]
