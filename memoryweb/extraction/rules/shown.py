"""What a person shows: "Here's a photo of my boat I built" is "I built my boat"."""

import re


def presented(text: str) -> str:
    """ "Here's a photo of my boat I built", "This boat I built floats" → "I built my boat"."""
    named = _APPOSITIVE.match(text)
    if named:
        return f"My {named['whom']} is called {named['name']}"
    shown = _SHOWN.match(text)
    if shown:
        return f"I {shown['verb']} {_some(shown['det'])}{shown['noun']}{shown['rest']}"
    made = _MADE.match(text)
    if made:
        what = f"{_some(made['det'])}{made['noun']}{made['when'] or ''}"
        return f"I {made['verb']} {what}, which {made['rest']}"
    return _FROM_WHEN.sub("", text)


_VERB = (
    r"(?:just |recently )?(?:did|made|painted|took|drew|wrote|bought|got|found|built|read"
    r"|designed|finished|created|baked|cooked|sewed|visited)"
)
_APPOSITIVE = re.compile(
    r"^(?:(?:I (?:do|have)|It is|This is|That's)(?: –)? "
    r")?(?P<name>[A-Z]\w+), my (?P<whom>(?:[\w-]+ ){0,2}[\w-]+)$"
)
_SHOWN = re.compile(
    r"^(?:here's|here is|here are|this is|that's|check out|take a look at|look at) (?:a |an "
    r"|one |some )?(?:(?:photos?|pics?|pictures?|peek|look|snap|shot) (?:of|at) )?"
    rf"(?P<det>my|an?|this|the|some|our|these|that) (?P<noun>(?:[\w-]+ ){{0,3}}[\w-]+) "
    rf"(?:that |which )?I (?P<verb>{_VERB})\b(?P<rest>.*)$",
    re.IGNORECASE,
)
_MADE = re.compile(
    rf"^(?P<det>this|that|these|those|the) (?P<noun>(?:[\w-]+ ){{0,2}}[\w-]+) (?:that |which "
    rf")?I (?P<verb>{_VERB})\b(?P<when> (?:yesterday|last \w+|this \w+|today|recently|in \w+"
    rf"|[\w ]+ ago))? (?P<rest>[a-z]+s? .*)$",
    re.IGNORECASE,
)
_FROM_WHEN = re.compile(
    r"^(?:here's|here is|this is|that's) (?:a |one )?(?:\w+ )?(?:pic|photo"
    r"|picture|one|shot|snap)?(?: of \w+)? ?from when (?=(?:I|we|my|our)\b)",
    re.IGNORECASE,
)


def _some(determiner: str) -> str:
    word = determiner.lower()
    return {"this": "a ", "that": "a ", "the": "a ", "these": "some ", "those": "some "}.get(
        word, f"{word} "
    )
