"""What a language brings, so that requests to forget are found and understood in it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache, cached_property
from pathlib import Path

from memoryweb.language.extraction_rules import Claim, Kind
from memoryweb.language.extraction_rules.model import PART, compiled, needed
from memoryweb.language.normal_form import is_cjk, normalise

_NEVER = re.compile(r"(?!)")
_HOW = ("forget", "keep", "maybe")


@dataclass(frozen=True)
class Row:
    """One way to ask: it matches a whole sentence, its group `about` is what is meant, and `reason`
    what is said of it behind. `keep` ones ask not to keep it, or name the memory; what `maybe` ones
    mean is only offered. In both "that" is what was said before."""

    how: str
    pattern: re.Pattern[str]
    examples: tuple[str, ...] = field(compare=False)
    counter: tuple[str, ...] = field(compare=False)

    @cached_property
    def needs(self) -> frozenset[str]:
        return needed(self.pattern.pattern) or frozenset({""})


@dataclass(frozen=True)
class Topic:
    """What is `named` in a request, and how statements say it: by a word or `pattern`, by the
    attribute or kind of a claim, or by an amount ("I'm 62 kilos"); `whose`: how they say it of what
    a request names besides ("my dog's name"). `words`: one of them stands wherever it is said.
    Statements about `others` are meant, too ("my wife")."""

    name: str
    others: bool
    named: re.Pattern[str]
    said: re.Pattern[str]
    pattern: re.Pattern[str]
    amount: re.Pattern[str]
    whose: re.Pattern[str]
    keyed: frozenset[str]
    kinds: frozenset[str]
    words: frozenset[str]
    examples: tuple[str, ...] = field(compare=False)
    counter: tuple[str, ...] = field(compare=False)

    def is_of(self, attribute: str) -> bool:
        """No other's: "my sister weighs …" gives a sister a value."""
        called = self.said.fullmatch(attribute) or self.named.fullmatch(attribute)
        return attribute in {"", *self.keyed} or bool(called)

    def is_said(self, text: str, claim: Claim) -> bool:
        return bool(
            (claim.attribute and self.is_of(claim.attribute))
            or (claim.durable and claim.kind in self.kinds)
            or self.said.search(normalise(text))
            or self.pattern.search(text)
            or self.amount.search(text)
        )


@dataclass(frozen=True)
class Table:
    """`nothing` are objects that no request is about, `last` means what was said just before and
    `all` everything, `that` the sentence before; `light` is no part of the object, `own` says that
    it is the speaker's, `known` that memory holds it, `personal` is a person's matter without
    either, `work` a thing of the work at hand, whosever it is, and `clause` begins a statement;
    `parts` parts two objects and `small` are words that need not stand elsewhere. `yes` is all of
    a message that agrees, `asking` how an assistant asks whether to forget, `lead` leads in
    somebody else's text, and `beside` is what a writer says of themselves, or of their wish."""

    rows: tuple[Row, ...]
    topics: tuple[Topic, ...]
    nothing: re.Pattern[str]
    last: re.Pattern[str]
    all: re.Pattern[str]
    that: re.Pattern[str]
    light: re.Pattern[str]
    own: re.Pattern[str]
    known: re.Pattern[str]
    personal: re.Pattern[str]
    work: re.Pattern[str]
    clause: re.Pattern[str]
    parts: re.Pattern[str]
    small: re.Pattern[str]
    yes: re.Pattern[str]
    asking: re.Pattern[str]
    lead: re.Pattern[str]
    beside: re.Pattern[str]


_CUES = tuple(one.name for one in fields(Table) if one.name not in {"rows", "topics"})


@cache
def table(language: str) -> Table:
    """From `<language>.txt`: parts and cues as `name = pattern`; rows `forget :: pattern`,
    `keep` or `maybe`, and
    `topic name :: pattern of its names`, a `*` behind the name for one that is about others; then
    indented what it has, and its examples after `+` and counter-examples after `-`. In lists of
    words `_` is a space."""
    lines = (Path(__file__).parent / f"{language}.txt").read_text(encoding="utf-8").splitlines()
    parts = {"about": "(?P<about>[^!?\\n]{1,200}?)"}
    parts |= {found["name"]: found["pattern"] for line in lines if (found := PART.match(line))}
    blocks = list(_blocks(lines))
    names = [named for head, named, _body in blocks if head not in _HOW]
    parts["topics"] = "|".join(names)
    topics = (_topic(head, named, body, parts) for head, named, body in blocks if head not in _HOW)
    asked = ((head, compiled(how, parts), body) for head, how, body in blocks if head in _HOW)
    return Table(
        tuple(
            Row(how, pattern, body.get("+", ()), body.get("-", ())) for how, pattern, body in asked
        ),
        tuple(topics),
        **{name: compiled(parts[name], parts) for name in _CUES},
    )


Body = Mapping[str, tuple[str, ...]]


def _blocks(lines: Sequence[str]) -> Iterator[tuple[str, str, Body]]:
    heads = [
        number
        for number, line in enumerate(lines)
        if re.match(r"(?:forget|keep|maybe|topic .+) :: ", line)
    ]
    for number, following in zip(heads, [*heads[1:], len(lines)], strict=True):
        head, _, pattern = lines[number].partition(" :: ")
        body: dict[str, tuple[str, ...]] = {}
        for line in lines[number + 1 : following]:
            if line.startswith("  "):
                name, _, rest = line.strip().partition(" ")
                body[name] = (*body.get(name, ()), rest)
        yield head, pattern, body


def _topic(head: str, named: str, body: Body, parts: Mapping[str, str]) -> Topic:
    words = {name: _words(body.get(name, ())) for name in ("said", "keyed", "units", "search")}
    units = "|".join(map(re.escape, words["units"]))
    amount = rf"{parts['being']}\d[\d.,]* ?(?:{units})(?![a-z])" if units else "(?!)"
    pattern, whose = (next(iter(body.get(name, ())), "(?!)") for name in ("pattern", "whose"))
    is_plain = not is_cjk(named)
    return Topic(
        head.removeprefix("topic ").rstrip("*"),
        head.endswith("*"),
        compiled(rf"\b(?:{named})\b" if is_plain else f"(?:{named})", parts),
        _any(words["said"]),
        compiled(pattern, {}),
        compiled(amount, parts),
        compiled(whose, {}),
        frozenset(words["keyed"]),
        frozenset(Kind(name) for name in _words(body.get("kinds", ()))),
        frozenset(word for found in words.values() for word in found),
        body.get("+", ()),
        body.get("-", ()),
    )


def _words(lines: Sequence[str]) -> tuple[str, ...]:
    return tuple(word.replace("_", " ") for line in lines for word in line.split())


def _any(words: Sequence[str]) -> re.Pattern[str]:
    """In normalised text."""
    if not words:
        return _NEVER
    found = "|".join(map(re.escape, words))
    return re.compile(found if is_cjk(found) else rf"\b(?:{found})\b")
