"""What a person states as a procedure: “To deploy: run the tests, tag the release”. Pure."""

import re
from typing import NamedTuple

MOST_STEPS, LONGEST = 20, 300

_VOICE = r"^(?:[^\W\d_][^:：]{0,60}[:：]\s+)?"
_NO_NAME = r"(?!(?:do|be|sum|summari[sz]e|recap|clarify|note|add|begin|start|me|you|us|them)\b)"
_STATED = [
    re.compile(_VOICE + form, re.IGNORECASE)
    for form in (
        rf"(?:how )?to (?P<name>{_NO_NAME}(?-i:[a-z])[\w '’-]{{1,40}}?)\s*:\s*(?P<steps>.+)$",
        r"(?:so|zum|beim|um zu) (?P<name>[^\W\d_][\w '’-]{1,40}?)(?: wir| ich| geht)?\s*:\s*"
        r"(?P<steps>.+)$",
        r"(?P<name>\w{1,20}?)(?:する|の|的)?(?:には|手順|方法|步骤|流程)は?\s*[:：]\s*(?P<steps>.+)$",
    )
]
_MARKS = re.compile(
    r"\s*(?:;|；|→|->|(?:^|\s)\d{1,2}[.)]\s|[,.]?\s+(?:and\s+|und\s+)?(?:then|dann|danach)\s+"
    r"|。(?:次に|然后|接着)?|(?:，|、)(?:次に|然后|再))\s*",
    re.IGNORECASE,
)
_COMMAS = re.compile(r",\s+(?:(?:and|und)\s+)?|、|，")
_FIRST = re.compile(r"^(?:first|erst|zuerst|まず|首先)[,、，]?\s*", re.IGNORECASE)


class Procedure(NamedTuple):
    name: str
    steps: tuple[str, ...]


def stated_in(text: str) -> Procedure | None:
    """None where fewer than two steps are told."""
    found = next(filter(None, (form.match(text) for form in _STATED)), None)
    if found is None:
        return None
    marked = [part for whole in _MARKS.split(found["steps"]) for part in _COMMAS.split(whole)]
    steps = tuple(step for part in marked if (step := _FIRST.sub("", part.strip()).strip(" .。")))
    name = name_of(found["name"])
    fits = 2 <= len(steps) <= MOST_STEPS and max(map(len, steps)) <= LONGEST
    return Procedure(name, steps) if name and fits else None


def name_of(text: str) -> str:
    """As a folder may be called; empty where nothing is left."""
    return "-".join(re.findall(r"\w+", text.casefold()))[:40].strip("-_")
