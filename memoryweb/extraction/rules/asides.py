"""Facts about a person that a sentence mentions in passing: "my two sons", "as a single mother"."""

import re
from collections.abc import Callable

from memoryweb.extraction.rules.drafts import Draft, Scene
from memoryweb.language.categories import Category

_COUNT = r"(?:two|three|four|five|six|seven|[2-7])"
_MANY = (
    r"(?:kids|children|sons|daughters|brothers|sisters|siblings|dogs|cats|grandchildren|grandsons"
    r"|granddaughters|nieces|nephews|stepchildren)"
)
_ONE = (
    r"(?:husband|wife|partner|fianc[eé]e?|boyfriend|girlfriend|son|daughter|brother|sister|mother"
    r"|father|mom|mum|dad|boss|manager|niece|nephew|dog|cat|puppy|kitten|horse|parrot|rabbit"
    r"|hamster|guinea pig|roommate|best friend)"
)
_BEING = (
    r"(?:(?:trans|transgender|gay|lesbian|queer|bisexual|bi|non-?binary|straight|deaf|blind|single"
    r"|married|working|new|first-time|stay-at-home|retired|freelance|self-employed|young) )?"
    r"(?:woman|man|person|girl|guy|mom|mum|mother|dad|father|parent|widow|widower|immigrant"
    r"|refugee|veteran|nurse|teacher|doctor|engineer|developer|designer|student|freelancer|artist"
    r"|musician|painter|dancer|writer|lawyer|accountant|manager|carpenter|cook|chef|farmer|vet"
    r"|baker|scientist|librarian|journalist|photographer|architect|counsel+or|therapist)"
)
_PLACE = r"(?P<place>[A-Z][\w'-]+(?: [A-Z][\w'-]+){0,2})"


def drafts(sentence: str, scene: Scene) -> list[Draft]:
    """Each as a statement of its own; `sentence` is expanded and no question."""
    found = []
    for pattern, say, category in _RULES:
        for match in pattern.finditer(sentence[:600]):
            said = say(match, scene.speaker)
            if said:
                found.append(Draft(said, durable=True, category=category, alone=True))
    return found


def _has(match: re.Match[str], speaker: str) -> str:
    return f"{speaker} has {match['count'].lower()} {match['who'].lower()}."


def _is(match: re.Match[str], speaker: str) -> str:
    what = re.sub(r"\btrans\b", "transgender", match["what"].lower())
    return f"{speaker} is {what}."


def _called(match: re.Match[str], speaker: str) -> str:
    return f"{speaker}'s {match['who'].lower()} is called {match['name']}."


def _home(match: re.Match[str], speaker: str) -> str:
    return f"{speaker}'s {match['what'].lower()} is {match['place']}."


_Say = Callable[[re.Match[str], str], str]
_RULES: tuple[tuple[re.Pattern[str], _Say, Category], ...] = (
    (
        re.compile(rf"\b[Mm]y (?P<count>{_COUNT}) (?:\w+ )?(?P<who>{_MANY})\b"),
        _has,
        Category.RELATION,
    ),
    (
        re.compile(
            rf"\b[Mm]y (?P<who>{_ONE}), (?P<name>[A-Z][\w'-]+)(?=,|\.|!| and\b| is\b| was\b|$)"
        ),
        _called,
        Category.RELATION,
    ),
    (
        re.compile(
            rf"\b[Mm]y (?P<what>home country|home ?town|native country|home city|native language),"
            rf" {_PLACE}"
        ),
        _home,
        Category.IDENTITY,
    ),
    (
        re.compile(
            r"\b(?:my (?:own )?\w+|(?<![a-z] )(?:[Ss]peaking|[Ii])|[Mm]e|myself) as "
            rf"(?P<what>an? {_BEING})\b(?! in training)"
        ),
        _is,
        Category.IDENTITY,
    ),
    (
        re.compile(rf"^(?:As|Being) (?P<what>an? {_BEING}), (?=I\b|my\b)"),
        _is,
        Category.IDENTITY,
    ),
)
# "…, since I moved here from Chile": kept by itself when what it explains is not.
SINCE_I = re.compile(
    r"\b(?:ever )?(?:since|when|after) (?P<what>(?:I|we) (?:first )?(?:moved|started|began"
    r"|graduated|retired|married|got married|came out|emigrated|immigrated|founded|opened|lost my"
    r"|quit my|joined|arrived|left (?:my|school|home)) ?[^,;.–]*)",
)
