"""The statements of a file: its bullets, each with what it claims. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from memoryweb.language.extraction_rules import HEADINGS, Claim, claim_of, is_pronoun, of_speaker
from memoryweb.language.normal_form import clean, normalise
from memoryweb.language.statement_comparison import fingerprint
from memoryweb.markdown.blocks import Block, blocks
from memoryweb.markdown.marks import Ended, living, part
from memoryweb.markdown.paths import kind_of
from memoryweb.markdown.pins import pinned_lines

# Headings of kinds say what sort of thing stands below, not whose it is.
KIND_HEADINGS = {normalise(title) for of in HEADINGS.values() for title in of.values()} | {
    *("notes", "family and relationships", "work and studies", "preferences and interests"),
    "plans and commitments",
}
_LABEL = re.compile(r"(?:\*\*|__)?[^:：*_\n]{1,200}?(?:\*\*|__)?\s?[:：](?:\*\*|__)?")
_LONGEST = 200  # characters of a subject, key or heading that are kept


@dataclass(frozen=True)
class Statement:
    """`line`..`end` are 1-based and inclusive; `text` is without the bullet."""

    text: str
    heading: str = ""
    line: int = 0
    end: int = 0
    speaker: str = ""  # who said it, in a file of several
    ended: tuple[Ended, ...] = ()  # what of it holds no longer

    @cached_property
    def print(self) -> str:
        return fingerprint(self.text)

    @cached_property
    def claim(self) -> Claim:
        """Of `- key: value` the heading is the subject, where it names one; a pronoun is none. Of
        what has ended nothing is claimed."""
        claim = claim_of(living(self.text, self.ended))
        claim = replace(claim, subject="") if is_pronoun(claim.subject) else claim
        claim = of_speaker(claim, self.text, self.speaker)
        label = _LABEL.match(self.text)
        said = normalise(self.text[label.end() :]) if label else ""
        if claim.subject or not label or normalise(claim.value) != said:
            return claim
        subject = normalise(self.heading)
        return claim if subject in KIND_HEADINGS else replace(claim, subject=subject[:_LONGEST])


def statements_of(content: str, path: str) -> list[Statement]:
    """In their order; the same one twice is one."""
    return bullets_of(content, path) if kind_of(path).holds_facts else []


def pinned_in(content: str, path: str) -> set[str]:
    """Fingerprints of those that are pinned."""
    pinned = pinned_lines(content)
    found = statements_of(content, path)
    return {one.print for one in found if not pinned.isdisjoint(range(one.line, one.end + 1))}


def read_ahead(content: str, path: str) -> None:
    """What its statements claim, which `claim_of` remembers: on SQLite all others wait for what is
    worked out in a write transaction, and this is the longer part of it."""
    for one in statements_of(content, path):
        claim_of(one.text)


def bullets_of(content: str, path: str = "") -> list[Statement]:
    """The same of a file of any kind."""
    found: dict[str, Statement] = {}
    for one in all_bullets_of(content, path):
        found.setdefault(one.print, one)
    return list(found.values())


def all_bullets_of(content: str, path: str = "") -> Iterator[Statement]:
    """Also where one stands again."""
    for block in blocks(content):
        if block.kind == "bullet" and (text := clean(block.text)):
            _sentence, ended = part(" ".join(block.text.split()))
            heading = _heading(block, path)
            yield Statement(text, heading, block.line, block.end, ended=ended)


def _heading(block: Block, path: str) -> str:
    """The nearest; a file's title names the file, nothing in it."""
    heading = block.trail[-1] if block.trail else ""
    title = path.rsplit("/", 1)[-1].removesuffix(".md")
    return "" if normalise(heading) == normalise(title) else heading[:_LONGEST]
