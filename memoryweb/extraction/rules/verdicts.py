"""Whether an English clause is worth keeping, and whether it lasts."""

import re
from dataclasses import dataclass

from memoryweb.extraction.rules import cues
from memoryweb.extraction.rules.verbs import words_of


@dataclass(frozen=True)
class Verdict:
    kept: bool
    durable: bool = False


DROP = Verdict(False)


def judge(clause: str, *, dated: bool) -> Verdict:
    """Of a clause about the speaker, expanded, without what stands before its subject."""
    words = content_words(clause)
    if _is_empty(clause, dated):
        return DROP
    if dated and words >= 1:
        return Verdict(True, True)
    for least, durable, patterns in _TIERS:
        if words >= least and any(pattern.search(clause) for pattern in patterns):
            return Verdict(True, durable)
    return DROP


_TIERS = (
    (1, True, (cues.MINE_IS, cues.WHO_I_AM, cues.LIKED_NAME, cues.TRADE, cues.I_AM_FROM)),
    (2, True, (cues.HAS_KIN, cues.HEALTH, cues.LIKING, cues.PLANNING, cues.BEING, cues.DOING)),
    (2, True, (cues.MY_PEOPLE, cues.USING_NAMED, cues.AT_PRESENT)),
    (2, True, (cues.MY_KIN, cues.THRILLED_TO, cues.DECIDED, cues.LIFE_EVENT)),
    (3, False, (cues.UNDER_WAY,)),
    (2, True, (cues.FACT,)),
    (2, False, (cues.PAST_ACT, cues.WE_DO)),
    (2, False, (cues.WEAK_PAST,)),
    (3, False, (cues.WORK,)),
)


def _is_empty(clause: str, dated: bool) -> bool:
    body = re.sub(r"^[Ww]e (?:all |both )?(?=are\b)", "I ", clause)
    if cues.EMPTY_ABOUT_ME.search(body):
        if cues.WILL_DO.match(body) and (dated or _NAMED.search(body)):
            return False
        return not (cues.THRILLED_TO.search(body) or cues.HAVING_KIN.search(body))
    return bool(cues.EMPTY.search(clause) or (cues.VAGUE_PROMISE.search(clause) and not dated))


_NAMED = re.compile(r"(?<!^)\b(?!I\b)[A-Z][\w'-]+")


def judge_thing(clause: str, *, dated: bool) -> Verdict:
    """Of a clause whose subject is a thing, or "it", and that speaks of the speaker."""
    if cues.EMPTY_THING.search(clause) or cues.EMPTY.search(clause):
        return DROP
    if cues.MOVES_ME.search(clause):
        return Verdict(True, True)
    if not (dated or _ABOUT_ME.search(clause) or _ABOUT_OUR_WORK.search(clause)):
        return DROP
    words = content_words(clause)
    if words >= 1 and cues.SOMEBODY_DOES.match(clause):
        return Verdict(True, True)
    if words >= 2 and (dated or any(pattern.search(clause) for pattern in _MATTERS)):
        return Verdict(True, True)
    return Verdict(words >= 4, False)


_ABOUT_ME = re.compile(r"\b(?:I|me|my|mine|myself)\b")
_ABOUT_OUR_WORK = re.compile(
    r"\bour (?:\w+ )?(?:team|company|office|customers?|staging|server|store|clients?|product"
    r"|app|site)\b"
)
_MATTERS = (cues.MATTERS_TO_ME, cues.WORK, cues.MY_KIN)


def is_past_act(clause: str) -> bool:
    return bool(cues.PAST_ACT.search(clause) or cues.WEAK_PAST.search(clause))


def content_words(clause: str) -> int:
    return len(
        {word for word in re.findall(r"[a-z][a-z'-]+|\d+", clause.lower()) if word not in STOP}
    )


STOP = words_of(
    """i me my mine myself we us our ours you your it its this that these those they them their
    there here he she his her a an the and or but so if as of in on at to for from by with
    about into over up out off than then because when while am is are was were be been being
    have has had do does did will would can could should may might must not no yes just also
    really very so too still always never even already now ever much many more most lot lots
    of some any all both other others another one ones thing things stuff something anything
    everything someone anyone everyone way ways time times day days good great nice best
    better cool awesome amazing super fun love like want need know think feel feeling make
    makes made get got go going keep hard forward get through trying try through what how who
    why where which whole bit kind sort such own part lately recently words mean means life
    everybody world happy joy dreams dream done back take took great see give few couple ton
    tons ok okay safe back again soon later yet lately journey chapter support stuff past
    ahead ever since far long next last first most person part change everything"""
)


def is_statement(text: str) -> bool:
    if len(text) < 8 or len(text.split()) < 3 or not re.search(r"[A-Za-z]{2}", text):
        return False
    if re.match(r"^(?:can't|cannot) stand\b", text, re.IGNORECASE):
        return True
    return not _IMPERATIVE.match(text)


_IMPERATIVE = re.compile(
    r"^(?:(?:really|truly|so|just|totally|always) )?(?:feels?|reminds?|makes?|made me|means?"
    r"|seems?|shows?|brings?|gives?|helps?|takes?|gets?|goes|almost|as|like|than|let|let's"
    r"|lets|don't|do not|please|check|look|take (?:care|a look|it|your)|keep|tell"
    r"|remember|believe|enjoy|have (?:fun|a)|stay|hang|go (?:for|get|ahead|create)"
    r"|make sure|just (?:keep|remember|be|do|go)|try|imagine|think|see|say|give|send|show"
    r"|follow|trust|push|never|always|good luck|best of|here's to|cheers|wish(?:ing)?"
    r"|congrat\w*|way to|bye|talk to|catch|happy|can't|cannot|couldn't|sounds?|looks?|love"
    r"|loving|must|hope|hopefully|glad|excited|stoked|wow|what|how|who|where|why|when will|do"
    r"|does|did|are|is|was|were|can|could|will|would|should|have you|any|anything|no|not"
    r"|thanks?|thank|appreciate|such|too|same|sure|super|totally|absolutely)\b",
    re.IGNORECASE,
)
