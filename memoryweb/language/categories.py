"""The kinds of things that are remembered, and the heading of MEMORY.md each stands under."""

import re
from enum import StrEnum

from memoryweb.language import category_patterns as cues


class Category(StrEnum):
    IDENTITY = "identity"
    RELATION = "relation"
    WORK = "work"
    PREFERENCE = "preference"
    DECISION = "decision"
    COMMITMENT = "commitment"
    EVENT = "event"
    OTHER = "other"


HEADINGS: dict[Category, str] = {
    Category.IDENTITY: "People",
    Category.RELATION: "Family and relationships",
    Category.WORK: "Work and studies",
    Category.PREFERENCE: "Preferences and interests",
    Category.DECISION: "Decisions",
    Category.COMMITMENT: "Plans and commitments",
    Category.EVENT: "Events",
    Category.OTHER: "Other",
}


def categorise(statement: str) -> Category:
    """The kind of one third-person statement in English, Chinese or Japanese."""
    text = _AS_OF.sub("", statement[:1000].lower().replace("’", "'"))
    first = _SENTENCE_END.split(text)[0]  # what follows only explains it
    for part in (_REASON.split(first)[0], first, text):
        for category, cue in _CUES:
            if cue.search(part):
                return category
    return Category.OTHER


_SENTENCE_END = re.compile(r"(?<=[a-z0-9)])\. (?=[a-z])|(?<=。)")
_REASON = re.compile(r" because | so (?=\w+ can\b)")
_AS_OF = re.compile(r" ?\(as of [^()]*\)|\bas a (?:kid|child|teenager|boy|girl)\b")

# What a statement does comes first, what it only mentions last: the first match tells.
_CUES: tuple[tuple[Category, re.Pattern[str]], ...] = (
    (Category.DECISION, cues.DECISION),
    (Category.IDENTITY, re.compile(r"^[^,.]* (?:is|was) born (?:in|on)\b")),
    (Category.EVENT, cues.HAPPENED),
    (Category.WORK, cues.CAREER),
    (Category.IDENTITY, re.compile(r"\bwants to be called\b")),
    (Category.COMMITMENT, cues.COMMITMENT),
    (Category.PREFERENCE, re.compile(r"\ballerg(?:y|ic)\b")),
    (Category.RELATION, cues.KIN_SUBJECT),
    (Category.RELATION, cues.KEPSAKE),
    (Category.IDENTITY, cues.IDENTITY),
    (Category.EVENT, cues.CJK_EVENT),
    (Category.RELATION, cues.RELATED),
    (Category.WORK, cues.WORK_VERB),
    (Category.PREFERENCE, cues.PREFERENCE),
    (Category.PREFERENCE, cues.REGULAR_PASTIME),
    (Category.COMMITMENT, cues.COMING),
    (
        Category.WORK,
        re.compile(r"^(?:the |[\w.-]+'s )?(?:\w+ ){0,2}(?:team|business|bakery|shop)\b"),
    ),
    (Category.WORK, cues.WORK),
    (Category.RELATION, cues.RELATION),
    (Category.EVENT, cues.DATED),
    (Category.EVENT, cues.BEEN_THERE),
    (Category.PREFERENCE, cues.TITLE),
    (Category.PREFERENCE, cues.HABIT),
    (Category.PREFERENCE, cues.PASTIME),
    (Category.PREFERENCE, cues.OWNING),
)
