"""How much a later sentence sounds like news of a clause of an older one: its signs, counted.

Each sign counts one: fitted weights did no better. Of the changes of the sample sets' `more` part
two in five are news by them, of what only looks like a change a fifth. Pure.
"""

import re
from functools import lru_cache

from memoryweb.language.comparison_words import FILLERS, LIGHT, MOODS, NEGATIONS
from memoryweb.language.ending import shared_in
from memoryweb.language.ending_slots import amounts, slot, tells_value
from memoryweb.language.ending_told import ONE, Part, asks, news_in, parts_in
from memoryweb.language.ending_words import labels_in, listed, words_in
from memoryweb.language.normal_form import is_cjk
from memoryweb.language.support_words import DENIED, FREE
from memoryweb.language.tokens import stem

RIVAL = 3  # signs of what may be news of it: a person is asked
PROVED = 2  # and where a model says so
_CUES = listed("now end off moved died gone done fix new got")
_NO_NEWS = listed("more unsure past visit once told joke kin friend")
_OTHERS = listed(
    """dietstyle meat fish dairy gluten egg nuts alcohol coffee sugar smoke rent pay budget fee
    wedding trip partner boss doctor helper level weight cast study ill open"""
)
_ANIMALS = listed("dog cat bird hens horse pet")
_EMPTY = frozenset(stem(word) for word in FILLERS | LIGHT | MOODS | NEGATIONS | DENIED | FREE)
_WRITTEN = re.compile("[^\u3005\u30a0-\u30ff\u3400-\u9fff]+")


def news_of(newer: str, older: str) -> tuple[int, str]:
    """The most signs that any clause of the older text has, and that clause."""
    if asks(newer) or newer.rstrip().endswith(("?", "？")):
        return 0, ""
    old = parts_in(older)
    counted = [(_signs(newer, part, old), part.text) for part in old]
    return max(counted, key=lambda one: one[0], default=(0, ""))


def is_news(newer: str, older: str) -> bool:
    """It may tell that a clause of the older text is so no longer: it has the signs, one more where
    no word tells of change."""
    signs, clause = news_of(newer, older)
    return signs > RIVAL or (signs == RIVAL and _tells_change(newer, clause))


def _tells_change(newer: str, clause: str) -> bool:
    """A word of it tells of change, or of what ends such a thing."""
    events = {label.removesuffix("!") for label in labels_in(newer) if label.endswith("!")}
    topics = {label.rstrip("?!") for label in labels_in(clause)}
    return bool(news_in(newer).labels & _CUES or topics & events)


def has_cue(text: str) -> bool:
    """A word of it tells that something changed, began or is over."""
    return bool(labels_in(text) & _CUES)


def _signs(newer: str, part: Part, all_parts: tuple[Part, ...]) -> int:
    shared = _shared(newer, part)
    labels, own = labels_in(newer), news_in(newer).labels
    told = {label.rstrip("?!") for label in labels}
    topics = {label.rstrip("?!") for label in part.labels}
    events = {label.removesuffix("!") for label in labels if label.endswith("!")}
    near = (one.labels for one in parts_in(newer) if shared_in(one, part))
    good = (
        bool(shared),
        len(shared) > 1,
        bool(_plain(newer) & _plain(part.text)),
        bool(own & _CUES),
        any(one & _CUES for one in near),
        bool(topics & told & (ONE | _OTHERS)) or bool(topics & events & _ANIMALS),
        bool(topics & events),
        bool(slot(part.text, newer)) or _has_other_amount(newer, part.text),
        tells_value(newer) and tells_value(part.text),
    )
    bad = (
        any(len(_shared(newer, one)) > len(shared) for one in all_parts if one is not part),
        bool(labels & _NO_NEWS),
    )
    return sum(good) - sum(bad)


def _shared(newer: str, part: Part) -> frozenset[str]:
    return frozenset().union(*(shared_in(one, part) for one in parts_in(newer)))


@lru_cache(maxsize=16_384)
def _plain(text: str) -> frozenset[str]:
    """Words of content by their stems, verbs as well; of signs, each two of a run."""
    if is_cjk(text):
        runs = _WRITTEN.sub(" ", text).split()
        return frozenset(run[at : at + 2] for run in runs for at in range(len(run) - 1))
    stems = (stem(word) for word in words_in(text) if len(word) > 2 and not word[0].isdigit())
    return frozenset(stems) - _EMPTY


def _has_other_amount(newer: str, older: str) -> bool:
    """Another amount of what is counted alike."""
    pairs = ((a, b) for a in amounts(older) for b in amounts(newer))
    return any(a[0] == b[0] and a[1] != b[1] and 0.25 < b[1] / a[1] < 4 for a, b in pairs)
