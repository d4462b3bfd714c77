"""Which sentences of a message ask to forget something, and what."""

from collections.abc import Iterator
from dataclasses import dataclass

from memoryweb.language.extraction_rules import claim_of
from memoryweb.language.extraction_rules.model import LANGUAGES
from memoryweb.language.forget_requests.table import Table, table
from memoryweb.language.sentences import quotes, spans, speech

LONGEST = 300  # characters of a message that speaks for itself; a longer one may be a draft
_MARKS = " \t\n-–—*•"


@dataclass(frozen=True)
class Forget:
    """`about` in the words of the message; the sentence stands from `first` to `last`."""

    about: str
    language: str
    first: int
    last: int


def forgets(message: str) -> Iterator[Forget]:
    """Only whole sentences of a short message that quotes nothing: a draft, a mail or a story may
    say "forget" to somebody else."""
    if len(message) > LONGEST or quotes(message):
        return
    said = speech(message)
    for first, last in spans(message):
        sentence = message[first:last].strip(_MARKS)
        if sentence and sentence.replace("’", "'") in said and (found := _asked(sentence)):
            yield Forget(*found, first, last)


def _asked(sentence: str) -> tuple[str, str] | None:
    plain = " ".join(sentence.replace("’", "'").split())
    for language in LANGUAGES:
        for row in table(language).rows:
            found = row.pattern.fullmatch(plain)
            about = found["about"].strip(" ,，、") if found else ""
            if about and _is_personal(about, table(language)):
                return about, language
    return None


def _is_personal(about: str, found: Table) -> bool:
    """It is about the speaker or the memory itself, and no thing of the work at hand; of whom a
    clause is about, it says something worth keeping."""
    if found.nothing.fullmatch(about):
        return False
    if found.last.fullmatch(about) or found.all.fullmatch(about):
        return True
    if found.work.search(about):
        return False
    if any(one.search(about) for one in (found.own, found.known, found.personal)):
        return True
    told = found.clause.match(about)
    return told is not None and claim_of(about[told.end() :]).durable
