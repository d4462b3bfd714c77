"""Living statements of which code can't tell whether the newer one ends the older one. Pure.

The newer one tells of a change, and they share a word that few others have; or it names no topic
and few can be meant. What is proved is decided without anybody (`decisions.py`); these are put to a
model, or to a person.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import UTC, date, timedelta
from functools import lru_cache

from memoryweb.dreaming.operations import LivingStatement, Result, is_later
from memoryweb.dreaming.removal_rules import is_rival
from memoryweb.language.comparison_words import NEGATIONS
from memoryweb.language.ending_signs import RIVAL, is_news, news_of, tells_change
from memoryweb.language.ending_told import named_in
from memoryweb.language.ending_words import heavy_in, topics_in
from memoryweb.language.extraction_rules import Act, Kind, claim_of
from memoryweb.language.normal_form import read
from memoryweb.language.statement_comparison import says_all_of
from memoryweb.language.tokens import stem

FEW = 3  # living statements that a word stands in, at most
NEWS = timedelta(days=30)  # how long ago the newer one was said, at most
_WEEK = timedelta(days=7)
# Where something moved to is what is so now, and nothing that ends.
_TOWARDS = re.compile(r"\b(?:to|into|nach|zum|zur|ins)\s+[\w-]+", re.IGNORECASE)
_TOPIC = "topic "
_APART = timedelta(hours=12)  # what was said together is no older and newer value


def _stems(words: str) -> frozenset[str]:
    return frozenset(map(stem, words.split()))


# There may always be another one: that both name one is no reason to ask. And what is said of
# everything.
_SEVERAL = _stems(
    """child children kid kids baby son daughter twins cat dog pet pets bird friend friends mate
    language speak allergy allergic intolerant kind kinder sohn tochter katze kater hund haustier
    freund freundin sprache spreche allergie allergisch call called name named heißt second
    remember forget place number merk vergiss nummer"""
)
_CJK_SEVERAL = re.compile(
    "[猫狗犬鸟鳥]|息子|娘|子供|子ども|孩子|儿子|女儿|朋友|友[達人だち]|[日英中韓法德独西葡]?[语語]"
    "|アレルギー|过敏|ペット|宠物|覚|[妻夫]$|旦那"
)
# Nobody is asked to give up what keeps somebody well, or how they want to be answered.
_KEPT = frozenset({Kind.HEALTH, Kind.INSTRUCTION})
Pair = tuple[LivingStatement, LivingStatement]
Asked = tuple[LivingStatement, LivingStatement | None]  # the older one, and what came since


def unproved(results: Iterable[Result], living: Iterable[LivingStatement]) -> Iterator[Asked]:
    """What was to go, or to end in part, and code finds no proof of it."""
    there = {one.id: one for one in living}
    made = {ref: one for one in there.values() for ref in one.sources}
    for result in results:
        operation = result.operation
        if result.is_beside and result.against and result.new and result.against.id in there:
            yield result.against, result.new
        elif result.code == "unproved":
            newer = next((made[ref] for ref in operation.sources if ref in made), None)
            for old in (there[id] for id in operation.old if id in there):
                yield old, newer if newer is not old else None


def left_alone(living: Iterable[LivingStatement], today: date) -> Iterator[Asked]:
    """What stands beside words that ended a month ago, and says nothing that is known to last."""
    for one in living:
        is_long = bool(one.ended) and max(mark.on for mark in one.ended) < today - NEWS
        if is_long and not (one.is_fixed or claim_of(one.living).durable):
            yield one, None


def possible_rivals(living: Iterable[LivingStatement], today: date) -> list[Pair]:
    """The older one first; those with most signs first, then those with the latest news."""
    asked = [one for one in living if not (one.is_flagged or one.is_hidden)]
    holders = Counter(word for one in asked for word in _matters(one.living))
    found = []
    for newer in asked:
        is_told = tells_change(newer.text)
        text = " ".join(one.text for one in asked if one.by == newer.by) if is_told else newer.text
        pairs = (pair for one in asked if (pair := _in_time(one, newer, today)))
        olds = [old for old, new in pairs if new is newer and _may_differ(old, newer)]
        olds = [old for old in olds if not _is_common(_shared(old, newer), holders)]
        counted = [(*news_of(text, old.living), old) for old in olds]
        counted = [one for one in counted if not _is_kept(one[2], one[1])]
        near = [
            one
            for one in counted
            if (is_news(text, one[2].living) if is_told else _is_unlike(newer, one))
            and _matters(one[2].living) & _matters(_TOWARDS.sub(" ", newer.living))
        ]
        is_own = is_told and not newer.by.speaker  # of its memory's owner
        if is_own and len(counted) <= FEW and not (near or topics_in(text)):
            near = sorted(counted, key=lambda one: _when(one[2]))[-1:]  # it doesn't say of what
        found += [(signs, _when(newer), (old, newer)) for signs, _clause, old in near]
    found.sort(key=lambda one: one[:2], reverse=True)
    return [pair for _signs, _at, pair in found]


def _is_kept(older: LivingStatement, clause: str) -> bool:
    claim = claim_of(clause or older.living)
    return claim.act is Act.ASKS or not _KEPT.isdisjoint((older.claim.kind, claim.kind))


def _is_unlike(newer: LivingStatement, one: tuple[int, str, LivingStatement]) -> bool:
    """No word tells of change: it has one sign more, and what code decides by itself is none."""
    return one[0] > RIVAL and not is_rival(newer, one[2])


def _shared(one: LivingStatement, other: LivingStatement) -> frozenset[str]:
    return _matters(one.living) & _matters(other.living)


def _is_common(shared: Collection[str], holders: Mapping[str, int]) -> bool:
    """Nothing but what many speak of."""
    return bool(shared) and all(
        holders[word] > FEW and not word.startswith(_TOPIC) for word in shared
    )


def _in_time(one: LivingStatement, other: LivingStatement, today: date) -> Pair | None:
    older, newer = (other, one) if is_later(one.by.said_at, other.by.said_at) else (one, other)
    at, before = newer.by.said_at, older.by.said_at
    if at is None or at.date() < today - NEWS or older.is_pinned:
        return None
    subject = newer.claim.subject.casefold() or named_in(newer.text)
    before_it = older.claim.subject.casefold()
    if subject not in older.text.casefold() or before_it not in newer.text.casefold():
        return None  # of somebody else
    is_of_one = one.by.speaker == other.by.speaker or (
        one.claim.subject == other.claim.subject != ""
    )
    return (older, newer) if is_of_one and (before is None or at - before > _APART) else None


def _may_differ(older: LivingStatement, newer: LivingStatement) -> bool:
    """What says the same, or is proved to be over, is decided without asking."""
    texts = older.living, newer.living
    one, two = map(read, texts)
    if any(mark.on >= _day(newer) - _WEEK for mark in older.ended):
        return False  # what it ended has its mark, and the rest stays
    is_new = one.negated != two.negated or not two.heavy - NEGATIONS <= {*one.words}
    return is_new and not (says_all_of(*texts) or says_all_of(*texts[::-1]))


def _day(one: LivingStatement) -> date:
    return one.by.said_at.date() if one.by.said_at else date.max


def _when(one: LivingStatement) -> float:
    return one.by.said_at.astimezone(UTC).timestamp() if one.by.said_at else 0


@lru_cache(maxsize=4_096)
def _matters(text: str) -> frozenset[str]:
    """Words that tell what it speaks of, and its topics."""
    words = {one for one in heavy_in(text) - _SEVERAL if not _CJK_SEVERAL.search(one)}
    return frozenset(words | {f"{_TOPIC}{topic}" for topic in topics_in(text)})
