"""What a person tells the assistant to keep or to do: "Please remember that …", "From now on …"."""

import re

from memoryweb.extraction.rules import cues, dates, speakers
from memoryweb.extraction.rules.drafts import Draft, Scene
from memoryweb.memory.categories import Category

_POLITE = (
    r"(?:(?:please|pls|kindly|also|and|oh|so|ok|okay|just|hey|could you|can you|would "
    r"you|will you|i need you to|i want you to|i would like you to|i'd like you to)[, ]+)*"
)
_REMEMBER = re.compile(
    rf"^{_POLITE}(?:remember|note(?: down)?|keep in mind|bear in mind|make a note(?: of)?"
    rf"|take (?:a )?note(?: of)?|don't (?:ever )?forget|do not forget|never forget"
    r"|write (?:this |it |that )?down|save (?:this|that)|memori[sz]e|for (?:the|your) "
    r"(?:record|records|future reference|reference|information)|fyi|heads[- ]up|reminder|note "
    r"to self|important)"
    r"(?: (?:this|it|down|the following|for me|for (?:next time|later|the future)))*"
    r"(?P<joint> that\b|\s*[:,–-]|\s+(?=(?:my|our|i|i'm|i've|we|we're|the|all|every|there"
    r"|to)\b))\s*(?P<what>.+)$",
    re.IGNORECASE,
)
_FROM_NOW = re.compile(
    rf"^{_POLITE}(?:from now on|going forward|from here on|in (?:the )?future|starting (?:now"
    rf"|today)|for all future \w+|as of now)[, ]+{_POLITE}(?P<what>.+)$",
    re.IGNORECASE,
)
_STANDING = re.compile(
    rf"^{_POLITE}(?P<what>(?:always|never|don't ever|do not ever) (?!mind|give up|know|been"
    rf"|had|forget)[a-z]+ .+)$",
    re.IGNORECASE,
)
_CALL_ME = re.compile(
    rf"^{_POLITE}(?:you can |feel free to |just )?(?:call me|address me as|refer to me as) "
    rf"(?P<what>[A-Z][\w'-]+(?: [A-Z][\w'-]+)?)\b",
    re.IGNORECASE,
)
_REMIND_ME = re.compile(rf"^{_POLITE}remind me (?P<how>to|that|about) (?P<what>.+)$", re.IGNORECASE)
_DECIDED = re.compile(
    r"^(?:ok(?:ay)?,? )?let's (?P<what>(?:go with|use|switch to|stick with|move to|settle on"
    r"|adopt|postpone|schedule|standardi[sz]e on|drop|set) .+)$",
    re.IGNORECASE,
)
_OWN_SUBJECT = re.compile(
    r"^(?:I|I'm|I've|we|we're|my|our|the|all|every|each|no|any|there|it|they|he|she|this|that"
    r"|[A-Z][\w-]*)\b(?! me\b)",
    re.IGNORECASE,
)
_VERB_FIRST = re.compile(
    r"^(?:to |please |always |never |don't |do not |not to )?(?:use|call|answer|reply|respond"
    r"|write|send|keep|put|add|include|avoid|format|speak|address|sign|ask|check|remind"
    r"|give|make|show|start|stop|end|name|book|order|prefer|schedule|set|save|store|treat|skip"
    r"|run|translate|summari[sz]e|mention|tell|contact|email|cc|copy|copies|round|count|quote"
    r"|be|do|let|share|invite|file|assume)\b",
    re.IGNORECASE,
)
_FACT_SUBJECT = re.compile(
    r"^(?:the|all|every|each|no|any|(?:[A-Z][\w.-]+)|(?:on|in|at|by) [\w -]{2,20}, the) "
    r"?(?:[\w.'/-]+ ){0,7}?(?:is|are|was|were|has|have|must|can|cannot|can't|will|go|goes"
    r"|runs?|starts?|ends?|opens?|closes?"
    r"|expires?|renews?|needs?|requires?|costs?|lives?|stands?|happens?|takes?|refreshes"
    r"|ships?|deploys?|belongs?|uses?|works?|comes?|gets?|should|may|always|never|only|owns?"
    r"|sends?|handles?|reports?|arrives?|leaves?|moved?|launched|[a-z]+ed)\b",
)


def asked(sentence: str, scene: Scene) -> tuple[str, bool]:
    """What stands after "please remember that", and whether that was said at all."""
    match = _REMEMBER.match(sentence)
    if not match or (not scene.to_assistant and _TO_A_FRIEND.search(sentence)):
        return sentence, False
    return match["what"].strip(), True


# "Don't forget to rest", "remember, you're great": said to a friend, not to a memory.
_TO_A_FRIEND = re.compile(
    r"\byou(?:r|rself)?\b|\bforget to\b|^(?:just )?(?:remember|don't "
    r"forget)\b(?! that| my| our| the)|\bimportant\b",
    re.IGNORECASE,
)


def standing_draft(sentence: str, scene: Scene, *, is_asked: bool) -> Draft | None:
    """ "Always answer in French" → "Ada asked to always answer in French." """
    reminder = _REMIND_ME.match(sentence) if scene.to_assistant else None
    if reminder:
        what = dates.resolve(
            speakers.oblique(reminder["what"].rstrip(".! "), scene.speaker), scene.at, future=True
        ).text
        return Draft(
            f"{scene.speaker} asked to be reminded {reminder['how']} {what}.",
            True,
            asked=True,
            category=Category.COMMITMENT,
        )
    named = _CALL_ME.match(sentence)
    if named and named["what"].lower() not in {
        "when",
        "if",
        "back",
        "later",
        "at",
        "on",
        "tomorrow",
    }:
        return Draft(
            f"{scene.speaker} wants to be called {named['what']}.",
            True,
            asked=is_asked,
            category=Category.IDENTITY,
        )
    dont = re.match(
        rf"^{_POLITE}(?=(?:don't|do not) (?!worry|know|think|be\b))", sentence, re.IGNORECASE
    )
    for_now = sentence[dont.end() :].rstrip(".! ") if dont and scene.to_assistant else ""
    if for_now and _VERB_FIRST.match(for_now):
        wish = speakers.oblique(
            re.sub(r"^(?:don't|do not) ", "not to ", for_now, flags=re.IGNORECASE), scene.speaker
        )
        return Draft(
            f"{scene.speaker} asked {wish}.", is_asked, asked=is_asked, category=Category.DECISION
        )
    later = _FROM_NOW.match(sentence)
    always = _STANDING.match(sentence) if scene.to_assistant else None
    what = (later or always or {"what": sentence})["what"].rstrip(".! ")
    if not (later or always or (is_asked and _VERB_FIRST.match(sentence))):
        return _decision(sentence, scene)
    if _OWN_SUBJECT.match(what) and not _VERB_FIRST.match(what):
        return None
    wish = speakers.oblique(re.sub(r"^to ", "", what), scene.speaker)
    wish = re.sub(r"^(?:don't|do not) ", "not to ", wish)
    wish = wish if wish.startswith("not to ") else f"to {wish[:1].lower()}{wish[1:]}"
    text = f"{scene.speaker} asked {wish}{' from now on' if later else ''}."
    return Draft(text, True, asked=is_asked or bool(later or always), category=Category.DECISION)


def _decision(sentence: str, scene: Scene) -> Draft | None:
    match = _DECIDED.match(sentence.rstrip(".! "))
    if not match or (cues.content_words(match["what"]) < 2):
        return None
    what = dates.resolve(speakers.oblique(match["what"], scene.speaker), scene.at, future=True).text
    return Draft(f"{scene.speaker} proposed to {what}.", True, category=Category.DECISION)


_ONLY_A_DAY = re.compile(
    r"^(?:(?:last|next|this) \w+|today|tomorrow|yesterday|tonight|\w+day"
    r"|the weekend) (?:is|was|works|will|sounds|would|has)\b",
    re.IGNORECASE,
)


def fact_draft(sentence: str, scene: Scene, *, is_asked: bool) -> Draft | None:
    """A statement about the world that needs no speaker: "Invoices go to billing@example.org"."""
    text = sentence.strip(" .!,;")
    text = text[:1].upper() + text[1:] if is_asked else text
    if (
        re.search(r"\b(?:I|me|my|we|us|our|you|your)\b", text, re.IGNORECASE)
        or len(text.split()) < 3
    ):
        return None
    if not cues.is_statement(text) or _ONLY_A_DAY.match(text):
        return None
    if not is_asked and not _FACT_SUBJECT.match(text):
        return None
    dated = dates.resolve(text, scene.at, future=cues.is_future(text))
    if not (is_asked or dated.found or cues.FACT.search(text)):
        return None
    if re.match(
        r"^(?:it|this|that|they|he|she|these|those|there|here|everyone|everything"
        r"|nothing)\b",
        text,
        re.IGNORECASE,
    ):
        return None
    line = dated.text[:1].upper() + dated.text[1:]
    return Draft(
        f"{line}.", is_asked or bool(cues.FACT.search(text)) or dated.found, asked=is_asked
    )


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


def pairs(content: str) -> list[tuple[str, str]]:
    """Settings written as lines "- **Deploy day**: Thursday"; a single unmarked pair is just speech."""
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
