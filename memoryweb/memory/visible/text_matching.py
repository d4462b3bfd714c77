"""Texts that are to be forgotten, and how they are found again in other texts. Pure."""

import json
import re
import secrets
from collections.abc import Collection, Iterable, Iterator

from memoryweb.audit import keys
from memoryweb.language.comparison_words import CJK_FILLERS
from memoryweb.language.normal_form import clean, is_cjk, normalise, read
from memoryweb.language.sentences import spans
from memoryweb.language.small_talk import is_courtesy
from memoryweb.language.statement_comparison import says_the_same
from memoryweb.language.tokens import tokens
from memoryweb.memory.visible.hidden import MARK

_LEAST_WORDS = 3
_LEAST_LETTERS, _LEAST_DIGITS, _RARE = 4, 5, 9  # of a word that names are looked through for
_LEAST_HEAVY = 2  # of a statement that is told by its words, whatever their order
_WORD = re.compile(r"\w+")
_FILLER = re.compile(f"[{''.join(one for one in CJK_FILLERS if len(one) == 1)}]")
_BLANKS = re.compile(r"\s+")
_LETTER = re.compile(r"[^\W\d_]")
_SPEAKER = re.compile(r"^[^\W\d][^:：]{0,60}[:：]\s*")
_POINTS = ".!?…。！？"
# What our own files and tools are called, how people ask, and what sections are mostly called.
_OURS = frozenset(
    re.findall(
        r"\w+",
        "memory memories profile user skill skills soul agents knowledge history notes note dreams"
        " dream structured forget forgotten remember where what about"
        " family food goals health home people plans preferences project projects team travel work",
    )
)
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


def asks_for(question: str, answers: Iterable[str], text: str) -> bool:
    """All of it together says what the text does, or one of them has only words of the text: one
    word alone where it is a number, or the question has another one of the text, or none."""
    asked, said = read(question).heavy, read(text).heavy
    parts = [question, *filter(None, answers)]
    for one in parts:
        words = read(one).heavy
        tells = bool(asked & said - words) or bool(words & read(text).numbers)
        is_of_it = tells or not asked or len(words) > (4 if is_cjk(one) else 1)
        if words and words <= said and is_of_it:
            return True
    return any(says(one, text) for one in (*parts, " ".join(parts)))


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

    def __init__(self, texts: Iterable[str], names: Iterable[str] = ()) -> None:
        """`names`: what of the texts is looked for in names; see `names_of`."""
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

        named = {form for one in names for form in _forms([one])}
        self._names = re.compile(_any_name(named), re.IGNORECASE) if named else None
        self._signs |= {max(_WORD.findall(one.casefold()), key=len) for one in named}

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

    def is_in_name(self, name: str) -> bool:
        """In a name, or a label: words of the texts are enough."""
        return self.is_in(name) or (self._names is not None and bool(self._names.search(name)))

    def renamed(self, name: str, of: object = None) -> str:
        """Another name, where it has such words in it, that says nothing: `of` the same thing
        always the same one."""
        if not self.is_in_name(name):
            return name
        ending = ".md" if name.endswith(".md") else ""
        same = keys.first_print_of("memoryweb.forgotten-name", f"{of}/{name}")
        code = same[:8] if of else secrets.token_hex(4)
        return f"forgotten-{code}{ending}"

    def label(self, text: str) -> str:
        """With the mark in the place of each text, and of each word of theirs."""
        text = self.without(text)
        return self._names.sub(MARK, text) if self._names else text

    def without(self, text: str) -> str:
        """With the mark in the place of each."""
        return self._pattern.sub(MARK, text) if self._pattern else text


def names_of(texts: Iterable[str], others: Iterable[str]) -> list[str]:
    """What names and labels may say of these texts: two words of content that stand side by side,
    and each word that no other statement of the memory says."""
    others = list(others)
    said = frozenset[str]().union(*(read(text).heavy for text in others))
    known = " ".join(read(text).normal for text in others)
    found: dict[str, None] = {}
    for text in texts:
        before = ""
        for word in _words(clean(text)):
            heavy = read(word).heavy
            both = f"{before} {word}"
            if heavy and before and _LETTER.search(both) and both.casefold() not in known:
                found[both] = None
            if heavy - said and _is_own_word(word):
                found[word] = None
            before = word if heavy else ""
    return list(found)


def _words(text: str) -> Iterator[str]:
    for word in _WORD.findall(text):
        yield from filter(None, _FILLER.split(word)) if is_cjk(word) else (word,)


def _is_own_word(word: str) -> bool:
    """One that tells something alone; a short number, and what the product itself calls things by,
    stand in many names."""
    if word.casefold() in _OURS:
        return False
    if is_cjk(word):
        return len(word) > 1
    return len(word) >= (_LEAST_DIGITS if word.isdecimal() else _LEAST_LETTERS)


def _any_name(names: Iterable[str]) -> str:
    """Words whose form is rare also within longer ones."""
    parts = []
    for name in sorted(names, key=len, reverse=True):
        body = r"[\W_]*".join(map(re.escape, name.split()))
        is_rare = not name.isascii() or len(name) >= _RARE or re.search(r"\d", name)
        parts.append(body if is_rare else rf"(?<![^\W_]){body}(?![^\W_])")
    return "|".join(parts)


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
