"""Who a claim is about where several write: whoever says "I", or all that "we" have in common."""

import re
from dataclasses import replace

from memoryweb.language.extraction_rules.model import Claim, Kind
from memoryweb.language.normal_form import normalise

_I = re.compile(
    r"\b(?:i|i'?m|i'?ve|me|my|mine|myself|ich|mich|mir|mein\w*)\b|(?:[我俺咱](?!们|們)"
    r"|[私僕](?!たち|ら)|わたし(?!たち)|ぼく(?!ら|たち)|自分)",
    re.IGNORECASE,
)
# Of what all of a team or a room have in common, and not of whoever says so.
_COMMON = re.compile(
    r"\b(?:we|we're|we've|us|our|ours|wir|uns|unser\w*)\b|^(?:the|der|die|das)\b"
    r"|我们|我們|咱们|私たち|うちの(?:会社|チーム)",
    re.IGNORECASE,
)
_OWN = frozenset({Kind.HEALTH, Kind.RELATION, Kind.PREFERENCE})
_OF_HOUSEHOLD = frozenset({"home", "move"})


def is_common(claim: Claim, text: str) -> bool:
    is_own = claim.kind in _OWN or claim.attribute in _OF_HOUSEHOLD or _I.search(text)
    return not is_own and bool(_COMMON.search(text))


def is_own_word(text: str) -> bool:
    """It speaks of "me", whoever that is."""
    return bool(_I.search(text))


def of_speaker(claim: Claim, text: str, speaker: str) -> Claim:
    """Where several write, "I" is who said it."""
    if claim.subject or not speaker or not is_own_word(text):
        return claim
    return replace(claim, subject=normalise(speaker))
