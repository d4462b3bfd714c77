"""How much a later sentence sounds like news of a clause of an older one: its signs, counted.

Each sign counts one: fitted weights did no better. Of the changes of the sample sets' `more` part
two in five are news by them, of what only looks like a change a fifth. Pure.
"""

import re
from functools import lru_cache

from memoryweb.language.comparison_words import FILLERS, LIGHT, MOODS, NEGATIONS
from memoryweb.language.ending import shared_in
from memoryweb.language.ending_slots import amounts, slot, tells_value
from memoryweb.language.ending_told import ONE, Part, news_in, parts_in
from memoryweb.language.ending_words import heavy_in, labels_in, listed, words_in
from memoryweb.language.normal_form import is_cjk
from memoryweb.language.support_words import DENIED, FREE
from memoryweb.language.tokens import stem

RIVAL = 3  # signs of what may be news of it: a person is asked
PROVED = 2  # and where a model says so
_CUES = listed("now end off moved died gone done fix new got")
_NO_NEWS = listed("more unsure past visit told joke friend")
_OTHERS = listed(
    """dietstyle meat fish dairy gluten egg nuts alcohol coffee sugar smoke rent pay budget fee
    wedding partner boss doctor helper level weight cast study ill open"""
)
_ANIMALS = listed("dog cat bird hens horse pet")
_EMPTY = frozenset(stem(word) for word in FILLERS | LIGHT | MOODS | NEGATIONS | DENIED | FREE)
_DAY = re.compile("(?:day|tag|woch)s?$")
_WRITTEN = re.compile("[^\u3005\u30a0-\u30ff\u3400-\u9fff]+")


def news_of(newer: str, older: str) -> tuple[int, str]:
    """The most signs that any clause of the older text has, and that clause, where both speak of
    one thing."""
    told, old = _told(newer, older), parts_in(older)
    counted = [
        (_signs(told, part, old), part.text if _ties(told, part) else "") for part in old if told
    ]
    return max(counted, key=lambda one: one[0], default=(0, ""))


def is_news(newer: str, older: str) -> bool:
    """It tells of a change, and may tell that a clause of the older text is so no longer."""
    told, old = _told(newer, older), parts_in(older)
    is_tied = any(_ties(told, part) > _rest(told, part, old) for part in old)
    return is_tied and tells_change(newer, older)


def tells_change(newer: str, older: str = "") -> bool:
    """A word of it tells of change in the speaker's own life, or of whom the older text names."""
    told = frozenset().union(*(labels for _part, labels in _told(newer, older)))
    return bool(told & _CUES) or any(label.endswith("!") for label in told)


def hints(newer: str, older: str) -> bool:
    """A clause of its own tells of a change, or of the same topic: the least sign."""
    told = _told(newer, older)
    labels = frozenset().union(*(part.labels for part, _labels in told))
    topics = {label.rstrip("?!") for part in parts_in(older) for label in part.labels}
    is_event = any(label.endswith("!") for label in labels)
    return bool(labels & _CUES) or is_event or bool({it.rstrip("?!") for it in labels} & topics)


@lru_cache(maxsize=16_384)
def _told(newer: str, older: str) -> tuple[tuple[Part, frozenset[str]], ...]:
    """Its clauses that say what is so, of the speaker or of whom the older text names too."""
    there, kin = heavy_in(older), any(part.who == "kin" for part in parts_in(older))
    if newer.rstrip().endswith(("?", "？")):
        return ()
    return tuple(
        (part, labels)
        for part, labels in news_in(newer).parts
        if not (part.labels & _NO_NEWS or ("once" in part.labels and "now" not in labels))
        and (not part.who or heavy_in(part.who) & there or (kin and part.who == "kin"))
    )


def has_cue(text: str) -> bool:
    """A word of it tells that something changed, began or is over."""
    return bool(labels_in(text) & _CUES)


Told = tuple[tuple[Part, frozenset[str]], ...]


def _signs(told: Told, part: Part, all_parts: tuple[Part, ...]) -> int:
    cues = [labels & _CUES for _one, labels in told]
    near = (one.labels & _CUES for one, _labels in told if shared_in(one, part))
    text = _text(told)
    changes = any(cues), any(near), tells_value(text) and tells_value(part.text)
    return _ties(told, part) + sum(changes) - _rest(told, part, all_parts)


def _ties(told: Told, part: Part) -> int:
    """How much both speak of one thing."""
    shared, text = _shared(told, part), _text(told)
    labels = frozenset().union(*(one.labels for one, _labels in told))
    said = {label.rstrip("?!") for label in labels}
    topics = {label.rstrip("?!") for label in part.labels}
    events = {label.removesuffix("!") for label in labels if label.endswith("!")}
    good = (
        bool(shared),
        len(shared) > 1,
        bool(_plain(text) & _plain(part.text)),
        bool(topics & said & (ONE | _OTHERS)) or bool(topics & events & _ANIMALS),
        bool(topics & events),
        bool(slot(part.text, text)) or _has_other_amount(text, part.text),
    )
    return sum(good)


def _rest(told: Told, part: Part, all_parts: tuple[Part, ...]) -> bool:
    """Another clause shares more words with it."""
    count = len(_shared(told, part))
    return any(len(_shared(told, one)) > count for one in all_parts if one is not part)


def _shared(told: Told, part: Part) -> frozenset[str]:
    return frozenset().union(*(shared_in(one, part) for one, _labels in told))


def _text(told: Told) -> str:
    return ", ".join(one.text for one, _labels in told)


@lru_cache(maxsize=16_384)
def _plain(text: str) -> frozenset[str]:
    """Words of content by their stems, verbs as well; of signs, each two of a run."""
    if is_cjk(text):
        runs = _WRITTEN.sub(" ", text).split()
        return frozenset(run[at : at + 2] for run in runs for at in range(len(run) - 1))
    words = (word for word in words_in(text) if len(word) > 2 and not _DAY.search(word))
    stems = (stem(word) for word in words if not word[0].isdigit())
    return frozenset(stems) - _EMPTY


def _has_other_amount(newer: str, older: str) -> bool:
    """Another amount of what is counted alike."""
    pairs = ((a, b) for a in amounts(older) for b in amounts(newer))
    return any(a[0] == b[0] and a[1] != b[1] and 0.25 < b[1] / a[1] < 4 for a, b in pairs)
