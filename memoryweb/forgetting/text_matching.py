"""Texts that are to be forgotten, and how they are found again in other texts. Pure."""

import json
import re
import secrets
from collections.abc import Collection, Iterable, Iterator

from memoryweb.forgetting.queries import MARK
from memoryweb.language.normal_form import clean, normalise, read
from memoryweb.language.sentences import spans
from memoryweb.language.small_talk import is_courtesy
from memoryweb.language.statement_comparison import says_the_same
from memoryweb.language.tokens import tokens

_LEAST_WORDS = 3
_LEAST_HEAVY = 2  # of a statement that is told by its words, whatever their order
_WORD = re.compile(r"\w+")
_BLANKS = re.compile(r"\s+")
_SPEAKER = re.compile(r"^[^\W\d][^:：]{0,60}[:：]\s*")
_POINTS = ".!?…。！？"
# Where a sentence or a clause may begin and end, also within JSON and Markdown.
_BEGINS = (
    rf"(?:^|(?<=[\n\r\0\"'“”„«‘(\[>*_`~|、，；：{_POINTS}])|(?<=[\n\0\s\-+*•>#.!?:;,…—–)\]]\s)"
    r"|(?<=:\d\d\s)|(?<=\\n)|(?<=[—–]))"
)
_ENDS = (
    r"(?:[。！？]+|[.!?…]+(?!\w)"
    r"|(?=\s*(?:$|[\n\r\0\"'”“»’)\]\\|(<;,，、；：*_`~—–\[]))|(?=\s[\s\-]))"
)


def is_telling(text: str) -> bool:
    """Three words of content, a name or a number: “yes.” is said of anything."""
    said = read(text)
    return len(said.heavy) >= _LEAST_WORDS or bool(said.names or said.numbers)


def is_told(text: str) -> bool:
    """A word of content that is neither a number nor kind alone: such a sentence may be looked for
    as a whole."""
    said = read(text)
    return bool(said.heavy - said.numbers) and not is_courtesy(text)


def sentences(text: str) -> Iterator[tuple[int, int, str]]:
    """First and last character of each sentence, without the blanks around it."""
    for first, last in spans(text):
        bare = text[first:last].strip()
        if bare:
            at = text.index(bare, first)
            yield at, at + len(bare), bare


def units(text: str) -> list[str]:
    """What of a line may be one that was forgotten: all of it, without who said it, and each of
    its sentences."""
    whole = clean(text)
    bare = _SPEAKER.sub("", whole)
    return list(dict.fromkeys([whole, bare, *(said for _a, _b, said in sentences(bare))]))


def says(text: str, other: str) -> bool:
    """All that `other` says stands in the text, in nearly its words, of whomever: the assistant's
    “you weigh 62 kilos” says what “I weigh 62 kilos” does."""
    wanted = normalise(other)
    if not wanted:
        return False
    if f" {wanted} " in f" {normalise(text)} " or says_the_same(text, other):
        return True
    one, two = read(text), read(other)
    if len(two.heavy) < _LEAST_HEAVY or one.negated != two.negated:
        return False
    return two.heavy <= one.heavy and two.numbers <= one.numbers


def comes_near(text: str, other: str) -> bool:
    """A person has to tell whether it is the same: half of its weighty words, or its number or
    name with one of them."""
    one, two = read(text), read(other)
    marks = two.numbers | two.names
    shared = len(one.heavy & two.heavy)
    is_half = bool(two.heavy) and 2 * shared >= len(two.heavy)
    return is_half or (bool(marks) and marks <= one.numbers | one.names | one.heavy)


class Sought:
    """The very words, whatever their case and blanks, also as JSON writes them. What is too short
    to tell anything by its form (“I have diabetes.”) is found where it is a sentence of its own.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        wanted = {one.strip() for one in texts if one.strip()}
        telling = {one for one in wanted if is_telling(one)}
        short = {one.rstrip(_POINTS) for one in wanted - telling if is_told(one)}
        self.texts: Collection[str] = sorted(
            one for one in wanted if is_telling(one) or is_told(one)
        )
        parts = sorted(map(_pattern, _forms(telling)), key=len, reverse=True)
        parts += [f"{_BEGINS}{_body(one)}{_ENDS}" for one in sorted(_forms(short))]
        indexed = (" ".join(rf"t{re.escape(one)}" for one in tokens(text)) for text in telling)
        parts += [rf"(?<!\w){one}(?!\w)" for one in indexed]
        self._pattern = re.compile("|".join(parts), re.IGNORECASE) if parts else None
        # A word of each: where none of them is, a whole batch of rows is passed over at once.
        forms = _forms(telling | short)
        self._signs = {max(_WORD.findall(form.casefold()), key=len) for form in forms}
        self._signs |= {max(tokens(text), key=len) for text in telling}

    def __bool__(self) -> bool:
        return self._pattern is not None

    def is_in(self, text: str) -> bool:
        return self._pattern is not None and self._pattern.search(text) is not None

    def spans(self, text: str) -> list[tuple[int, int]]:
        return [found.span() for found in self._pattern.finditer(text)] if self._pattern else []

    def may_be_in(self, text: str) -> bool:
        """Fast, for much text at once."""
        folded = text.casefold()
        return any(sign in folded for sign in self._signs)

    def renamed(self, name: str) -> str:
        """Another name, where it has such a text in it, that says nothing."""
        if not self.is_in(name):
            return name
        ending = ".md" if name.endswith(".md") else ""
        return f"forgotten-{secrets.token_hex(4)}{ending}"

    def without(self, text: str) -> str:
        """With the mark in the place of each."""
        return self._pattern.sub(MARK, text) if self._pattern else text


def _forms(texts: Iterable[str]) -> set[str]:
    """Also as JSON writes them."""
    plain = set(texts)
    escaped = {json.dumps(one)[1:-1] for one in plain}
    return plain | escaped | {json.dumps(one, ensure_ascii=False)[1:-1] for one in plain}


def _pattern(text: str) -> str:
    """Whole words alone: who forgets “tea in May” keeps “tea in Mayfair”."""
    before = r"(?<!\w)" if re.match(r"\w", text) and text[0].isascii() else ""
    after = r"(?!\w)" if text[-1:].isalnum() and text[-1].isascii() else ""
    return f"{before}{_body(text)}{after}"


def _body(text: str) -> str:
    return r"\s+".join(re.escape(part) for part in _BLANKS.split(text))
