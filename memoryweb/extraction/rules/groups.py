"""Whom a person means by "we": the team, the family, the business they have told of."""

import re

from memoryweb.extraction.rules import cues, speakers
from memoryweb.extraction.rules.drafts import Scene

_HOUSE = (
    r"(?:bakery|shop|store|caf[eé]|restaurant|studio|company|business|firm|agency|salon|farm"
    r"|hotel|bar|pub|gallery|gym|clinic|practice|start-?up|school|brand|workshop|garage|bookshop"
    r"|brewery|winery|pharmacy|nursery|magazine|label)"
)


def of(text: str, scene: Scene) -> str:
    """Empty when nobody was named: then it is the speaker and others."""
    if _WEDDING.search(text):
        return f"{scene.speaker} and their partner"
    named = speakers.group_in(text) or scene.group
    if _AT_WORK.search(text) and not _MOVING.search(text):
        return f"{scene.speaker}'s {_house(scene, text) or 'team'}"
    if not named and not _AT_HOME.search(text):
        house = _house(scene, text)
        if house and (cues.TRADE.search(text) or _HEADS.search(text) or _RUNS.search(text)):
            return f"{scene.speaker}'s {house}"
        if cues.TRADE.search(text):
            return f"{scene.speaker}'s business"
    partner = _PARTNER.findall(" ".join(scene.earlier)) if _AT_HOME.search(text) else []
    if partner and not named:
        return f"{scene.speaker} and their {partner[-1].strip()}"
    return f"{scene.speaker} and {named}" if named else ""


def _house(scene: Scene, text: str) -> str:
    """What the speaker has said to own or to lead."""
    told = " ".join((*scene.earlier, text))
    owned = _OWNS.findall(told)
    if owned:
        return str(owned[-1]).lower()
    return "team" if _LEADS.search(told) else ""


_OWNS = re.compile(
    r"\bI (?:\w+ly |also )?(?:own|run|opened|founded|started|bought) "
    rf"(?:an?|my|my own|the|our|two|three) (?:[\w-]+ ){{0,2}}?({_HOUSE})\b",
    re.IGNORECASE,
)
_LEADS = re.compile(
    r"\bI (?:\w+ly |also )?(?:lead|head|manage|run|supervise|am (?:the )?(?:head|lead|manager) "
    r"of|work (?:in|on|for|with)) (?:the|a|an|our|my) (?:[\w-]+ ){0,3}(?:team|department|group"
    r"|office|desk|unit|crew)\b|\bI (?:\w+ly |also )?work (?:in|at|for)\b",
    re.IGNORECASE,
)
_WEDDING = re.compile(
    r"\b[Ww]e (?:got|are|are getting|get|have been|were|just got) (?:married|engaged)\b"
)
_MOVING = re.compile(r"\bwe (?:live|moved|bought|married)\b", re.IGNORECASE)
_AT_HOME = re.compile(
    r"\b(?:lived?|moved in|married|wedding|kids?|children|baby|famil\w+|adopt(?:ed|ing)? (?:a|an"
    r"|two|our) (?:\w+ )?(?:dog|cat|child|son|daughter|puppy|kitten|girl|boy)|dogs?|cats?|puppy"
    r"|kitten|pets?|house|flat|apartment|holidays?|vacation|honeymoon|garden|camping|birthday)\b",
    re.IGNORECASE,
)
_PARTNER = re.compile(
    r"\b[Mm]y ((?:husband|wife|partner|boyfriend|girlfriend|spouse)(?: [A-Z][\w'-]+)?)"
)
_RUNS = re.compile(
    r"\bwe (?:also |only |now |still )?(?:use|run|need|print|order|accept|offer|charge|pay)\b",
    re.IGNORECASE,
)
_HEADS = re.compile(
    r"\bwe (?:are|have|employ|now have) (?:only |now |about )?(?:\d+|two|three|four|five|six|seven"
    r"|eight|nine|ten|twelve|twenty)(?: \w+)? (?:people|persons|colleagues|employees|staff|folks"
    r"|developers|engineers|agents|in the team)\b",
    re.IGNORECASE,
)
_AT_WORK = re.compile(
    r"\b(?:ship|deploy\w*|release[sd]?|staging|invoices?|customers?|clients?|repo(?:sitory)?"
    r"|sprints?|stand-?ups?|production|database|servers?|CI|pipeline|budget|quarter|contract"
    r"|policy|migrat\w+|onboard\w*|tickets?|API|backlog|roadmap|on-call|incident|vendor"
    r"|suppliers?|payroll|Postgres\w*|Kubernetes|Slack|Jira|code reviews?|retro|rollout"
    r"|branch(?:es)?|tests?)\b",
    re.IGNORECASE,
)
