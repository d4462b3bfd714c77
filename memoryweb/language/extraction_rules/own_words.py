"""What somebody tells an assistant of themselves in no known form: of the present, with a value,
and often without the "I" that it is said of. English alone; a form is only known in a known
language. Pure."""

import re

from memoryweb.language.extraction_rules.model import Claim, Kind, Language, language
from memoryweb.language.extraction_rules.reading import Sentence, undated

_LASTING = (
    r"(?:learning (?!about|how|to\b)|studying|training|living|renting"
    r"|(?:paying|saving|earning) (?=[€£$]?\d)"
    r"|expecting|raising"
    r"|getting married|working (?:at|as|for|part|full|nights|days|from)|teaching"
    r"|doing (?=[^,;.]{0,40}\b(?:course|degree|diploma|apprenticeship|class|phd|masters?)\b))"
)
_HABIT = (
    r"(?:(?:every|each) (?:other |second )?(?:day|morning|evening|night|week|weekend|month|year"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day)|(?:mon|tues|wednes|thurs|fri|satur|sun)days"
    r"|(?:a|per) (?:day|week|month|year|hour)|daily|weekly|monthly)\b"
)
_ROLE = (
    r"(?:dentist|doctor|gp|vet|physio|therapist|boss|manager|landlord|landlady|teacher|coach"
    r"|partner|wife|husband|mum|mom|dad|son|daughter|rent|mortgage|salary|car|laptop|phone)"
)
# How a sentence begins that leaves out whom it is of, and what is left out.
_LEFT_OUT = tuple(
    (re.compile(start, re.IGNORECASE), put)
    for start, put in (
        (r"^(?:(?:have|i've) )?got (?=(?:an?|two|three|four|my|our) (?!\w+\W*$))", "I have "),
        (r"^have (?=(?:an?|two|three|four) )", "I have "),
        (rf"^(?:still |now |currently )?(?={_LASTING})", "I am "),
        (rf"^(?:still |now )?(?=(?:on|at) [^?]*\b{_HABIT})", "I am "),
        (rf"^(?:new )?(?={_ROLE}(?:'s| is| are) )", "My "),
    )
)
_TRADE = re.compile(
    r"^(?:an? )?(?=(?:[a-z-]+ ){0,2}[a-z]{4,}(?:,| at| for| in) \w+)", re.IGNORECASE
)
_NO_STATE = (  # what is thought, wanted or done at the moment
    r"(?:think|feel|guess|hope|wonder|know|mean|want|need|see|say|tell|ask|believe|wish|thank|bet"
    r"|look|sound|seem|suppose|expect|imagine|doubt|care|mind|agree|get|keep|forget|remember"
    r"|(?:like|love|hate)(?= $| (?:to|that|the way)\b)"
    r"|can|could|would|should|will|might|may|must|won't|can't|cannot|do (?:not|you|so)"
    r"|don't|did"
    r"|didn't|was|were|had|wasn't|weren't|went|got|made|saw|took|came|gave|found|left|lost|said"
    r"|told|thought|wrote|put|read|ran|met|ate|felt|bought|and|or|\w+ed)"
)
_STATES = re.compile(
    rf"\b(?:i|we) (?:(?:also|still|now|always|usually|only|both) )*"
    rf"(?:(?:am|are) (?!\w+ing\b|(?-i:[A-Z]))|(?:am|are) {_LASTING}"
    rf"|have (?:been|had|lived|worked|got)\b"
    rf"|(?!(?:am|are|have|has)\b|{_NO_STATE}\b)[a-z]+ )"
    rf"|\b(?:my|our) (?:[\w'-]+ ){{1,3}}?(?:(?<=s )live|is|are|has|have|(?!this|always|us\b)"
    rf"(?!says|thinks|wants|needs|asks|means|looks|seems|sounds|feels|hurts|keeps|fails)[a-z]{{2,}}s)"
    rf"(?! \w+ing\b)(?= )|\b(?:my|our) (?:[\w-]+ ){{0,2}}[\w-]+'s (?:got\b|an?\b|(?=(?-i:[A-Z])))",
    re.IGNORECASE,
)
_VALUE = re.compile(
    r"(?<=[\w,] )(?!I\b)[A-ZÀ-Þ][\w'’-]+|\d"
    rf"|\b(?i:{_HABIT}|(?:since|for) (?:i was|years|(?:almost |over )?\w+ (?:years|months))\b)"
)
_ASKED = re.compile(r"\b(?:what|who|which|how) (?:do|does|did|is|are)\b", re.IGNORECASE)
_MOMENT = re.compile(
    r"\b(?:(?:is|are) that|every time|please|pls|atm"
    r"|(?:un)?till? (?:then|now)|temporarily|this (?:week|month|time)|just"
    r"|feel(?:s|ing)?|trying|going to|version|test|list|file|table|page|text|story|poem"
    r"|chapter|question|problem|bug|query|data|app|website|recipe|task|dear|report|project"
    r"|presentation|document|meeting)\b",
    re.IGNORECASE,
)


def tells_lasting(sentence: Sentence) -> bool:
    """It states something of the speaker, of the present and with a value; nothing asked,
    ordered, imagined or laughed at, nothing of the moment, and it can be understood alone."""
    spoken = sentence.language
    if spoken is None or spoken is not language("english") or not _is_plain(sentence, spoken):
        return False
    parts = spoken.clause.split(sentence.text)
    if _is_trade(sentence.text):
        return True
    full = _filled(sentence.text)
    is_of_self = any(_STATES.search(one) and not spoken.passing.search(one) for one in parts)
    if full:
        first = spoken.clause.split(full)[0]
        is_of_self = is_of_self or not spoken.passing.search(first)
    return is_of_self and bool(_VALUE.search(sentence.text))


def _is_plain(sentence: Sentence, spoken: Language) -> bool:
    if sentence.is_question or sentence.leans or sentence.is_lost:
        return False
    cues = (spoken.maybe, spoken.jokes, spoken.laughs, spoken.orders, spoken.small, _MOMENT)
    text = sentence.text.replace("almost", "about")
    if _ASKED.search(text):
        return False
    return not any(cue.search(text) for cue in cues)


def _filled(text: str) -> str:
    """With the subject that it leaves out; "" where it leaves out none."""
    return next((start.sub(put, text) for start, put in _LEFT_OUT if start.search(text)), "")


def _is_trade(text: str) -> bool:
    """ "Registered nurse, nights"."""
    if not _TRADE.search(text):
        return False
    claim = undated(_TRADE.sub("I am a ", text, count=1)).claim
    is_job = claim.durable and not claim.general and claim.kind is Kind.IDENTITY
    if not (is_job and claim.attribute == "job"):
        return False
    return bool(re.match(rf"(?:[\w-]+ )*?{re.escape(claim.value)}\b", text, re.IGNORECASE))


# The attributes that say who somebody is, and not what they have, like or plan.
_WHO = re.compile(
    r"(?:(?:first|last|middle|maiden|full) |nick|sur)?name|age|birthday|home|address|origin"
    r"|nationality|pronouns|job(?: title)?|role|position|profession|beruf|employer|company"
    r"|(?:(?:native|first|second) )?languages?|mother tongue|muttersprache|の?母[语語]"
    r"|time ?zone|zeitzone|时区|の?タイムゾーン"
)
_SPEAKS = re.compile(
    r"\b(?:i|ich) (?:(?:also|only|auch|nur) )?(?:speak|spreche) (?:(?:a little|etwas) )?"
    r"(?-i:[A-ZÄÖÜ])|我(?:也|只)?会?[说講讲][^，。,]{0,4}[语語文话話]|語(?:が|を|も)(?:少し)?話",
    re.IGNORECASE,
)


def tells_who(text: str, claim: Claim) -> bool:
    """It says who the speaker is: their name, age, home, work, languages or time zone."""
    if claim.subject or claim.kind not in {Kind.IDENTITY, Kind.OTHER, Kind.PREFERENCE}:
        return False
    if not claim.attribute:
        return bool(_SPEAKS.search(text))
    return claim.kind is not Kind.PREFERENCE and bool(_WHO.fullmatch(claim.attribute))
