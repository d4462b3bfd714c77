"""English sentences of one person turned into third-person statements."""

import re
from dataclasses import dataclass
from datetime import datetime

from memoryweb.extraction.rules import cues, dates, fillers, speakers
from memoryweb.extraction.rules.references import dangles
from memoryweb.extraction.rules.verbs import ADVERB, IRREGULAR_PAST


@dataclass(frozen=True)
class Scene:
    """Who says a sentence, to whom and when, and what the same message said before it."""

    speaker: str
    other: str
    at: datetime
    group: str = ""


@dataclass(frozen=True)
class Draft:
    text: str
    durable: bool
    needs_context: bool  # speaks of "it" or "they": good only after the line it refers to


def drafts(sentence: str, openers: fillers.Openers, scene: Scene) -> list[Draft]:
    """The clauses of one sentence that are worth keeping, in order."""
    bare = openers.strip(sentence)
    found = []
    for part in fillers.clauses(speakers.expand(bare)):
        draft = _draft(openers.strip(part), scene)
        if draft:
            found.append(draft)
    return found


def _draft(clause: str, scene: Scene) -> Draft | None:
    text = with_subject(clause.strip(" ,.!;:-"))
    if not _is_statement(text):
        return None
    future = cues.is_future(text)
    dated = dates.resolve(text, scene.at, future=future)
    text = _near(dated, scene.at)
    lead = _lead(text)
    subject = _subject(text[len(lead) :])
    if subject == "other" and not _FIRST_PERSON.search(text):
        return None
    if subject == "you" or len(re.findall(r"\byou(?:r|rs)?\b", text, re.IGNORECASE)) > (
        1 if scene.other else 0
    ):
        return None
    verdict = (
        cues.judge(text, dated=dated.found, lead=lead)
        if subject != "pronoun"
        else _of_pronoun(text, dated.found)
    )
    if not verdict.kept:
        return None
    text = _INDEFINITE.sub(_indefinite, text)
    cast = speakers.Cast(scene.speaker, scene.other, _group(text, scene))
    rewritten = speakers.third(text, cast, past=not future)
    return Draft(_finished(rewritten), verdict.durable, subject == "pronoun" or dangles(text))


_FIRST_PERSON = re.compile(r"\b(?:I|me|my|mine|myself|we|us|our)\b", re.IGNORECASE)
_FRONT = re.compile(
    r"^(?:(?:on|in|at|during|after|before|when|while|since|as|for|with|because|whenever|every|once|over|a few|a couple|some|around|due to"
    r"|two|three|several|recently|lately|currently|growing up|these days|nowadays|right now|now|finally|eventually|sometimes|usually|if|to)\b[^.;!]{0,90}?,? )"
    r"(?=(?:I|we|my|our)\b)",
    re.IGNORECASE,
)
_PRONOUN = re.compile(
    r"^(?:it|its|this|that|these|those|they|their|he|she|his|her|them|there|here|one|both|such|so|which|who|what|each|all of|some of|none|everyone|everything|nothing|neither)\b",
    re.IGNORECASE,
)
_MINE = re.compile(
    r"^(?:my|our|me and|all my|both my|both of my|one of my|some of my|the rest of my|an? [\w-]+ of mine|someone I|half of my|most of my)\b",
    re.IGNORECASE,
)
_INDEFINITE = re.compile(
    r"\b((?:I|we)(?: \w+ly| just| even| also| all)? (?:made|painted|drew|bought|wrote|got|found|took|read|built|baked|cooked|saw|designed|created|finished|started|have made|have got|have)) (this|that|these|those) (?=(\w)\w*)"
)


def _subject(text: str) -> str:
    if re.match(r"(?:I|we)\b", text):
        return "first"
    if re.match(r"you(?:r|rs)?\b", text, re.IGNORECASE):
        return "you"
    if _MINE.match(text):
        return "mine"
    if _PRONOUN.match(text):
        return "pronoun"
    return "other"


def _lead(text: str) -> str:
    match = _FRONT.match(text)
    return match.group(0) if match else ""


_IMPERATIVE = re.compile(
    r"^(?:let|let's|lets|don't|do not|please|check|look|take (?:care|a look|it|your)|keep|tell|remember|believe|enjoy|have (?:fun|a)|stay|hang|go (?:for|get|ahead|create)"
    r"|make sure|just (?:keep|remember|be|do|go)|try|imagine|think|see|say|give|send|show|follow|trust|push|never|always|good luck|best of|here's to|cheers|wish(?:ing)?|congrat\w*|way to|bye|talk to|catch|happy|can't|cannot|couldn't|sounds?|looks?|love|loving|must|hope|hopefully|glad|excited|stoked|wow|what|how|who|where|why|when will|do|does|did|are|is|was|were|can|could|will|would|should|have you|any|anything|no|not|thanks?|thank|appreciate|so|such|too|same|sure|super|totally|absolutely)\b",
    re.IGNORECASE,
)


def _is_statement(text: str) -> bool:
    if len(text) < 8 or len(text.split()) < 3 or not re.search(r"[A-Za-z]{2}", text):
        return False
    if re.match(r"^(?:can't|cannot) stand\b", text, re.IGNORECASE):
        return True
    return not _IMPERATIVE.match(text)


_ELIDED_PAST = re.compile(
    rf"^(?P<adv>(?:just|finally|recently|already|also|actually|even|once|only|still) )?(?P<verb>(?!had better)(?:{'|'.join(sorted(IRREGULAR_PAST))}|[A-Za-z]{{3,}}ed))"
    r" (?=(?:(?:up|out|down|off|on|over|back|away)\b ?)?(?:my|a|an|the|some|to|in|at|for|with|from|that|this|these|up|new|lots|our|two|three|into|hitting|going|working|\w+ing|it|them|him|her|by)\b)",
    re.IGNORECASE,
)
_FINITE = re.compile(
    r"\b(?:is|was|are|were|has|have|can|will|makes?|made|helps?|helped|means?|looks?|feels?|lets?|gives?|gave|takes?|took|isn't|wasn't|brings?|brought|keeps?|seems?|sounds?|shows?|needs?|would|could|should|really|\w+'s (?:a|the|so|been|always|\w+ing))\b"
)
_GERUND = re.compile(
    r"^(?P<adv>(?:just|still|also|currently|really|even|finally|always) )?(?P<verb>[A-Za-z]{2,}ing)\b(?! (?:my|our)? ?\w+ (?:is|was)\b)",
    re.IGNORECASE,
)


def with_subject(text: str) -> str:
    """ "Lost my job", "Gonna move", "Been painting", "Finishing my thesis": the left-out "I" put back."""
    lowered = text[:1].lower() + text[1:]
    if re.match(
        r"(?:just |still |also )?(?:going to|planning|thinking (?:of|about)|hoping to|about to)\b",
        lowered,
    ):
        return f"I am {lowered}"
    if re.match(r"(?:just |also |already |never |only )?been\b", lowered):
        return f"I have {lowered}"
    if re.match(
        r"(?:want to|have to|have got|used to|can't stand|cannot stand|never (?:had|got|learned|liked))\b",
        lowered,
    ):
        return f"I {lowered}"
    if _ELIDED_PAST.match(lowered):
        return f"I {lowered}"
    gerund = _GERUND.match(lowered)
    if gerund and gerund["verb"] not in _NOT_GERUND and not _FINITE.search(text):
        return f"I am {lowered}"
    return text


_NOT_GERUND = frozenset(
    "thing nothing something anything everything king ring spring string during sing bring wedding morning evening".split()
)


def _of_pronoun(text: str, dated: bool) -> cues.Verdict:
    """A sentence about something named before: kept only when it says something beyond a judgement."""
    if re.match(r"^(?:that|this)\b", text, re.IGNORECASE) or fillers.is_evaluation(text):
        return cues.DROP
    if re.match(
        r"^(?:what|how|who|so|such|here|there|everyone|everything|nothing|none)\b",
        text,
        re.IGNORECASE,
    ):
        return cues.DROP
    return cues.Verdict(cues.content_words(text) >= 3 or dated)


def _near(dated: dates.Dated, at: datetime) -> str:
    """ "I just signed up" happened around the day it was said; what is under way was so that month."""
    text = dated.text
    if (
        not dated.found
        and re.match(r"^(?:I|we) (?:have )?(?:just|recently|finally) (?!want)", text)
        and cues.is_past_act(text)
    ):
        bare = re.sub(r"^(I|we) (have )?(?:just|recently) ", lambda m: f"{m[1]} {m[2] or ''}", text)
        return f"{bare.rstrip('.!')} (around {at.date()})"
    if not dated.found and _UNDER_WAY.search(text):
        return f"{text.rstrip('.!')} (as of {at:%B %Y})"
    return text


_UNDER_WAY = re.compile(
    r"^(?:I|we) (?:am|are) (?:\w+ly |still |also |now )?(?:working on|looking (?:for|into)|searching|thinking (?:about|of)|considering|planning|preparing|training|learning|reading|writing|starting|finishing|creating|building|researching|studying|saving|applying|trying to)\b"
    r"|^(?:I|we) have (?:\w+ly )?(?:been|known|had|lived|worked)\b.*\b(?:for|since)\b.*\b(?:years?|months?|weeks?)\b",
)


def _indefinite(match: re.Match[str]) -> str:
    if match[2] in {"these", "those"}:
        return f"{match[1]} some "
    return f"{match[1]} {'an' if match[3] in 'aeiouAEIOU' else 'a'} "


def _group(text: str, scene: Scene) -> str:
    named = speakers.group_in(text) or scene.group
    return f"{scene.speaker} and {named}" if named else ""


def _finished(text: str) -> str:
    text = re.sub(rf"\b(a) (?={ADVERB}\Z)", r"\1", " ".join(text.split()).strip(" ,;:-"))
    text = re.sub(r"\s+([,.;!])", r"\1", text).rstrip("!.… ")
    return f"{text[:1].upper()}{text[1:]}."
