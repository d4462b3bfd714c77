"""Statements that need no speaker: facts of the world, and settings written as a list."""

import re

from memoryweb.extraction.rules import cues, dates, verdicts, worth
from memoryweb.extraction.rules.drafts import Draft, Scene


def fact_draft(sentence: str, scene: Scene, *, is_asked: bool) -> Draft | None:
    """A statement about the world that needs no speaker: "Invoices go to billing@example.org"."""
    text = sentence.strip(" .!,;")
    text = text[:1].upper() + text[1:] if is_asked else text
    if (
        re.search(r"\b(?:I|me|my|we|us|our|you|your)\b", text, re.IGNORECASE)
        or len(text.split()) < 3
    ):
        return None
    if not verdicts.is_statement(text) or _ONLY_A_DAY.match(text):
        return None
    if not is_asked and not _FACT_SUBJECT.match(text):
        return None
    if not is_asked and worth.of(text) < worth.Worth.LASTING:
        return None
    dated = dates.resolve(text, scene.at)
    sure = is_asked or dated.found or bool(cues.FACT.search(text) or _ABOUT_SOMEONE.match(text))
    if not sure:
        return None
    if re.match(
        r"^(?:it|this|that|they|he|she|these|those|there|here|everyone|everything"
        r"|nothing)\b",
        text,
        re.IGNORECASE,
    ):
        return None
    line = dated.text[:1].upper() + dated.text[1:]
    return Draft(f"{line}.", True, asked=is_asked)


_ONLY_A_DAY = re.compile(
    r"^(?:(?:last|next|this) \w+|today|tomorrow|yesterday|tonight|\w+day"
    r"|the weekend) (?:is|was|works|will|sounds|would|has)\b",
    re.IGNORECASE,
)
_ABOUT_SOMEONE = re.compile(
    r"^(?!(?:Everyone|Everybody|Nobody|Someone|Everything|Nothing|Anyone|Work|Life|Who|What"
    r"|Which|That|This|It)\b)[A-Z][a-z]+(?: [A-Z][a-z]+)? (?:usually |also |now |only )?"
    r"(?:prefers|manages|speaks|reports to|works (?:as|at|for|in|on|with)|lives in|studies"
    r"|handles|is (?:allergic|responsible|in charge|our|from|a (?:vegetarian|vegan)))\b"
)
_FACT_SUBJECT = re.compile(
    r"^(?:the|all|every|each|no|any|(?:[A-Z][\w.-]+)|(?:on|in|at|by) [\w -]{2,20}, the) "
    r"?(?:[\w.'/-]+ ){0,7}?(?:is|are|was|were|has|have|must|can|cannot|can't|will|go|goes"
    r"|runs?|starts?|ends?|opens?|closes?"
    r"|wants|prefers|expects|expires?|renews?|needs?|requires?|costs?|lives?|stands?|happens?"
    r"|takes?|refreshes"
    r"|ships?|deploys?|belongs?|uses?|works?|comes?|gets?|should|may|always|never|only|owns?"
    r"|sends?|handles?|reports?|arrives?|meets?|rotates?|leaves?|keeps?|stays?"
    r"|covers?|pays?|receives?|follows?|offers?|includes?|lasts?|applies|apply|moved?|launched"
    r"|[a-z]+ed)\b",
)


def pairs(content: str) -> list[tuple[str, str]]:
    """Settings written as lines "- **Deploy day**: Thursday"; one alone is speech."""
    found, marked = [], False
    for line in content.split("\n"):
        match = _PAIR.match(line)
        if (
            not match
            or len(line) > 240
            or len(match["key"].split()) > 5
            or _NOT_KEY.search(match["key"])
        ):
            continue
        value = match["value"].strip().strip("*_")
        if (
            value.startswith("//")
            or re.search(r"[{}<>;=]|\?$", value)
            or len(re.findall(r"\w", value)) * 2 < len(value)
        ):
            continue
        marked = marked or bool(match["bullet"]) or "**" in line
        found.append((line.strip(), f"{match['key'].strip()}: {value}"))
    return found if marked or len(found) > 1 else []


_PAIR = re.compile(
    r"^\s*(?P<bullet>[-*•+]\s+)?(?:\*\*|__)?(?P<key>[^\W\d_][\w '/().-]{1,39}?)(?:\*\*"
    r"|__)?\s*[:：]\s*(?:\*\*|__)?\s*(?P<value>\S.{0,180})$"
)
_NOT_KEY = re.compile(
    r"\b(?:https?|note|ps|p\.s|edit|update|re|fwd?|subject|from|to|date|cc|error|warning|info"
    r"|debug|exception|traceback|question|answer|example|e\.g|i\.e|said|says|quote|todo"
    r"|correction|remember|reminder|important|fyi|btw|plan is|thing is)$",
    re.IGNORECASE,
)
