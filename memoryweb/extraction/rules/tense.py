"""Which way a date without a year looks, read from the verb nearest to it."""

import re

from memoryweb.extraction.rules.verbs import ADVERB, IRREGULAR_PAST, PAST_ED

_SUBJECT = r"(?:I|we|you|he|she|it|they|my|our|his|her|their|the|there|[A-Z][\w'-]+(?= [a-z]))"
_BOUNDARY = re.compile(
    rf"[;.]\s|\s[–—-]+\s|,\s(?:and |but |so |because |which |while |as |since )*(?={_SUBJECT}\b)"
    rf"|\s(?:but|because|while|although|so|and)\s(?={_SUBJECT} )"
)


def clause_at(text: str, start: int, end: int) -> tuple[str, str]:
    """What stands before and after a phrase in its own clause."""
    first, last = 0, len(text)
    for match in _BOUNDARY.finditer(text):
        if match.end() <= start:
            first = match.end()
        elif match.start() >= end:
            last = match.start()
            break
    return text[first:start], text[end:last]


def looks_ahead(text: str, start: int, end: int, preposition: str = "") -> bool | None:
    """True ahead, False back, None when nothing tells: then the nearest date is meant."""
    if preposition == "since":
        return False
    before, after = clause_at(text, start, end)
    found = _last(before, preposition)
    if found == "none":
        found = _first(after)
    if found == "none" and preposition in {"until", "till", "by"}:
        return True
    if found == "none":
        found = _last(text[:start], preposition)
    if found == "none":
        found = _first(text[end:])
    return {"ahead": True, "back": False}.get(found)


def is_ahead(text: str) -> bool:
    """Whether a whole clause speaks of what is or will be."""
    return not _LONG_AGO.search(text) and _last(text, "") != "back"


_LONG_AGO = re.compile(
    r"\b(?:yesterday|ago|last (?!minute|call\b)\w+|earlier today|as a (?:kid|child|teen\w*))\b",
    re.IGNORECASE,
)


_PAST_VERB = (
    rf"(?:was|were|wasn't|weren't|did|didn't|had|hadn't|{'|'.join(sorted(IRREGULAR_PAST))}"
    rf"|let|quit|hurt|{PAST_ED})"
)
_COMMISSIVE = (
    r"(?:decided|agreed|promised|planned|arranged|offered|chose|wanted|hoped|intended|asked"
    r"|told|invited|reminded)"
)
_MOVED = r"(?:moved|postponed|rescheduled|pushed|delayed|extended|shifted|brought forward)"
_BOOKED = (
    r"(?:booked|signed up|registered|reserved|enrolled|entered|scheduled|applied|ordered"
    r"|(?:got|bought|have|has) (?:\w+ ){0,3}(?:tickets?|reservations?|appointments?))"
)
_CUE = re.compile(
    rf"(?P<commit>\b{_COMMISSIVE}\b(?=.* to \w))|(?P<moved>\b{_MOVED}\b)|(?P<booked>\b{_BOOKED}\b)"
    r"|(?P<ahead>\b(?:will|won't|shall|going to|about to|wants? to|would|could|should|must"
    r"|can|(?-i:may)|might|plan(?:s|ning)?|hop(?:es?|ing)|intends?|due|upcoming|has to|have to"
    r"|needs? to|(?:am|is|are|'re|'m) (?:\w+ly |not |also |still )?(?:being )?"
    r"(?!(?:interest|excit|tir)ed)[a-z]+(?:ing|ed)|(?:am|is|are|gets?|be) "
    r"(?:born|held|shut|sent|sold|built|paid|given|taken|done|married|off|away|out|back))\b)"
    r"|(?P<back>\b(?:ha(?:s|ve|d)(?:n't| not)?|'ve|'d) (?:\w+ly |just |already |never |also "
    r"|even )*(?:been|gone|done|seen|taken|given|written|known|begun|broken|chosen|driven|eaten"
    r"|fallen|flown|grown|shown|spoken|worn|become|come|run|had|got|gotten|read|set|put)\b"
    rf"|(?<!\bto be )(?<!\bthe )(?<!\ba )(?<!\ban )(?<!\bmy )(?<!\bour )(?<!\btheir )"
    rf"(?<!\bhis )(?<!\bher )(?<!\bof )(?<!\bget )(?<!\bgets )(?<!\bgetting )"
    rf"(?<!\bbeing )(?<!\bbe )\b{_PAST_VERB}\b"
    r"|\b(?:he|she|it) (?:read|put|set|cut|hit)\b)"
    rf"|(?P<present>\b(?:I|we|you|they|he|she|it|who|that|which) (?:{ADVERB} )*"
    rf"(?!(?:read|put|set|cut|hit|spread|bet|cost|have|has|never|{_PAST_VERB}|{_COMMISSIVE}"
    rf"|{_MOVED}|{_BOOKED})\b)[a-z]+\b"
    r"|\b(?:is|are|am|has|have)\b"
    r"|\b(?:he|she|it|that|there|who|I|we|they)'(?:s|re|m)\b)",
    re.IGNORECASE,
)
_BARE_PRESENT = re.compile(
    r"\b(?!this\b|his\b|its\b|us\b|as\b)[a-z]+(?:[^su]s|es)\b"
    r"(?=\s*$| (?:on|in|at|by|until|till|from|for|off|to|the|a|an|my|our|back|again|up|into)\b)"
)
_MOST = 400  # characters around a date in which a verb is looked for


def _last(text: str, preposition: str) -> str:
    """What the last verb before a phrase says: ahead, back, unclear or none."""
    text = text[-_MOST:]
    cues = list(_CUE.finditer(text))
    if not cues:
        return "ahead" if _BARE_PRESENT.search(text) else "none"
    cue = cues[-1]
    between = text[cue.end() :]
    if cue.lastgroup == "back":
        held = [one for one in cues[:-1] if one.lastgroup == "commit"]
        return "ahead" if held and " to " in text[held[-1].end() :] else "back"
    return _direction(cue, between, preposition)


def _direction(cue: re.Match[str], between: str, preposition: str) -> str:
    if cue.lastgroup == "commit":
        return "ahead" if re.search(r"\bto \w", between) else "back"
    if cue.lastgroup == "moved":
        return "ahead" if preposition in {"to", "until", "till", "by", "from", "for"} else "back"
    if cue.lastgroup == "booked":
        if cue.group(0).lower().startswith(("have", "has")):
            return "ahead"
        if preposition == "for" or re.search(r"\b(?:for|to) \w", between):
            return "ahead"
        return "unclear" if between.strip() else "back"
    return "ahead" if cue.lastgroup in {"ahead", "present"} else "back"


def _first(text: str) -> str:
    text = text[:_MOST]
    cue = _CUE.search(text)
    if not cue:
        return "ahead" if _BARE_PRESENT.search(text) else "none"
    return "back" if cue.lastgroup in {"back", "moved", "commit", "booked"} else "ahead"
