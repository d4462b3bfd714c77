"""Which sentences of a message ask to forget something, and what."""

from collections.abc import Iterator
from dataclasses import dataclass

from memoryweb.language.requests.table import LANGUAGES, table
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
            if about and not table(language).nothing.fullmatch(about):
                return about, language
    return None
