"""Who says their name: "I'm Ada Berg and I run the shop" is a name and a statement."""

import re

from memoryweb.extraction.rules.drafts import Draft
from memoryweb.language.categories import Category

_NAME = (
    r"[A-Z][\w'’-]+(?: (?:(?:van|von|de|da|der|den|del|la|le|al|bin|dos|di) )*[A-Z][\w'’-]+){0,3}"
)
_INTRODUCED = re.compile(
    rf"^(?:I am|I am called|[Mm]y (?:full |first )?name is|[Tt]his is|[Mm]y name's) "
    rf"(?P<name>{_NAME})(?P<joint>[.!]*$|,? and (?=(?:I|we|my|our)\b)"
    r"|, (?=(?:I|we|my|our)\b)|,? (?=(?:an?|the) [a-z])| (?=(?:from|at|in|with)\b)"
    r"|,? here[.!]*$|,? (?:here )?(?=from\b))(?P<rest>.*)$",
)
# "I'm Norwegian", "I'm Catholic": what somebody is, not what they are called.
_KIND = re.compile(
    r"^(?:\w+(?:ish|ese|ian|ean|can|eli|ani|aqi)|German|French|Dutch|Greek|Swiss|Czech|Danish"
    r"|Thai|Catholic|Muslim|Hindu|Jewish|Buddhist|Protestant|Orthodox|Republican|Democrat|Type"
    r"|CEO|CTO|CFO|HR|IT|OK|LGBTQ\+?)$"
)


def introduced(sentence: str, speaker: str) -> tuple[list[Draft], str]:
    """The name as a statement of its own, when it tells more than `speaker`, and what is left."""
    match = _INTRODUCED.match(sentence)
    if not match or _KIND.match(match["name"].split()[0]):
        return [], sentence
    name, rest = match["name"], match["rest"].strip(" .!")
    known, new = _words(speaker), _words(name)
    if sentence.startswith("This is") and not known & new:
        return [], sentence
    drafts = [] if new <= known else [_named(speaker, name, bool(known & new))]
    if rest and re.match(r"(?:an?|the|from|at|in|with) ", rest):
        rest = f"I am {rest}"
    return drafts, rest


def _named(speaker: str, name: str, shared: bool) -> Draft:
    said = f"{speaker}'s {'full ' if shared else ''}name is {name}."
    return Draft(said, durable=True, category=Category.IDENTITY)


def _words(name: str) -> set[str]:
    return set(re.findall(r"[^\W_]+", name.casefold()))
