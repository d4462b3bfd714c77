"""Which sentences of a message ask to forget something, and what."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from memoryweb.language.extraction_rules import claim_of
from memoryweb.language.extraction_rules.model import LANGUAGES
from memoryweb.language.extraction_rules.remembering import is_for_later
from memoryweb.language.forget_requests.meaning import Meaning, meant_by
from memoryweb.language.forget_requests.table import Row, Table, table
from memoryweb.language.sentences import quotes, spans, speech
from memoryweb.language.small_talk import is_courtesy

_LONGEST_YES = 60
LONGEST = 300  # characters of a message that speaks for itself; a longer one may be a draft
_MASKED = re.compile(r"\s*\[secret: [\w-]+\]")  # says nothing about what is meant
_MARKS = " \t\n-–—*•"
# Of a list, mail, page or code, and what leads them in ("Translate this:"); no clock, no smiley.
_PASTED = re.compile(
    r"^\s*(?:[-*+•·–—]|\d{1,3}[.)、])\s*\S|:(?=\s|$)|：|<[/!?A-Za-z]|[{}\\|=【】]|;\s*$|//|\bwww\."
    r"|\s[—–]\s|^\s*(?:#|\$ |>>>|@\w)|^(?: {2,}|\t)\S",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Forget:
    """`about` in the words of the message; the sentence stands from `first` to `last`. One that is
    not sure is only offered."""

    about: str
    language: str
    first: int
    last: int
    is_sure: bool = True


@lru_cache(maxsize=1_024)  # a batch is masked as a whole before it is heard
def forgets(message: str) -> tuple[Forget, ...]:
    """Only whole sentences of a short message that quotes nothing: a draft, a mail or a story may
    say "forget" to somebody else."""
    is_own = len(message) <= LONGEST and not quotes(message)
    return tuple(
        Forget(found[0], found[1], first, last, found[2])
        for first, last in (spans(message) if is_own else ())
        if (sentence := message[first:last].strip(_MARKS))
        and (found := _asked(sentence))
        and sentence.replace("’", "'") in speech(message)
    )


def is_own_wish(message: str, asked: Sequence[Forget]) -> bool:
    """Its writer says it now, and pastes nothing: one sentence of a line that asks, beside what
    they say of themselves or ask then, or nothing but sentences that do, besides courtesies."""
    if _PASTED.search(_MASKED.sub("", message).strip("\n").rstrip()):
        return False
    wishes = {(one.first, one.last) for one in asked}
    parts = ((at, message[at:end].strip(_MARKS)) for at, end in spans(message))
    rest = [(at, said) for at, said in parts if said and not is_courtesy(said)]
    rest = [(at, said) for at, said in rest if at not in {first for first, _last in wishes}]
    if len(asked) > 1 or "\n" in message.strip():
        return not rest
    return all(_is_beside(said, at > asked[0].first) for at, said in rest)


def _is_beside(said: str, is_after: bool) -> bool:
    """A story, a page or an order to somebody may hold the sentence that asks."""
    if any(table(one).lead.search(said) for one in LANGUAGES):
        return False
    asks = is_after and said.endswith(("?", "？", "吗", "か"))
    return asks or any(table(one).beside.search(said) for one in LANGUAGES)


def tells_of_oneself(sentence: str) -> bool:
    """It may be what "don't remember that" means: no question, and no word about the wish."""
    said = sentence.strip(_MARKS)
    if not said or said.endswith(("?", "？")) or is_courtesy(said) or any(forgets(said)):
        return False
    return claim_of(said).durable or any(table(one).own.search(said) for one in LANGUAGES)


def meanings(words: str) -> tuple[Meaning, ...]:
    """Of sentences that ask it, or of its object alone."""
    said = [one for found in forgets(words) for one in meant_by(found.about, found.language)]
    return tuple(said) or meant_by(words)


def agrees(message: str) -> bool:
    """All of it says yes."""
    said = message.strip()
    return len(said) <= _LONGEST_YES and any(table(one).yes.fullmatch(said) for one in LANGUAGES)


def asks_to_forget(answer: str) -> bool | None:
    """Whether an assistant asks for that yes; None: it asks nothing."""
    if "?" not in answer and "？" not in answer and "吗" not in answer and "か。" not in answer:
        return None
    return any(table(one).asking.search(answer) for one in LANGUAGES)


def _asked(sentence: str) -> tuple[str, str, bool] | None:
    plain = " ".join(_MASKED.sub("", sentence).replace("’", "'").split())
    holds = plain.lower().__contains__
    for language in LANGUAGES:
        for row in table(language).rows:
            found = row.pattern.fullmatch(plain) if any(map(holds, row.needs)) else None
            about = found["about"].strip(" ,，、") if found else ""
            if found and about and _is_meant(about, row, table(language)) and not _is_news(found):
                return about, language, row.how != "maybe" and not is_for_later(plain)
    return None


def _is_news(found: re.Match[str]) -> bool:
    """A sentence that tells something new behind its request would be hidden with it."""
    return claim_of(found.groupdict().get("reason") or "").durable


def _is_meant(about: str, row: Row, found: Table) -> bool:
    if row.how != "forget" and found.that.fullmatch(about):
        return True
    if found.nothing.fullmatch(about):
        return False
    return _is_personal(about, found) or (row.how == "maybe" and not found.work.search(about))


def _is_personal(about: str, found: Table) -> bool:
    """It is about the speaker or the memory itself, and no thing of the work at hand; of whom a
    clause is about, it says something worth keeping."""
    if found.last.fullmatch(about) or found.all.fullmatch(about):
        return True
    if found.work.search(about):
        return False
    if any(one.search(about) for one in (found.own, found.known, found.personal)):
        return True
    told = found.clause.match(about)
    return told is not None and claim_of(about[told.end() :]).durable
