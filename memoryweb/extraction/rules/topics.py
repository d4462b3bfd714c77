"""What "it" and "they" at the start of a sentence stand for: the subject of the sentence before."""

import re

_VERB = (
    r"(?:is|are|was|were|has|have|had|can|could|must|will|would|looks?|sounds?|seems?|makes?"
    r"|brings?|really|sure|helps?"
    r"|means?|represent|symboli[sz]es?|loved?|went|got)"
)
_SUBJECT = re.compile(
    rf"^(?:(?P<det>the|that|this|your|my|our|these|those|her|his|their) )?(?P<noun>(?:[\w-]+ "
    rf"){{0,2}}?[\w-]+)(?:'s|'re|'ve)? ?\b(?:{_VERB})\b",
    re.IGNORECASE,
)
_CONTRACTED = re.compile(
    r"^(?P<det>the|that|this|your|my|our|these|those)? "
    r"?(?P<noun>(?:[\w-]+ ){0,2}?[\w-]+)'(?:s|re) (?:a|an|the|so|such|been|really|amazing"
    r"|great|gorgeous|awesome|cool|cute|lovely|good)\b",
    re.IGNORECASE,
)
_NOT_NOUN = re.compile(
    r"\b(?:i|we|you|he|she|it|they|this|that|these|those|there|here|what|who|how|which|when"
    r"|where|why|everyone|everything|nothing|one|all|some|any|thanks?|wow|yeah"
    r"|hey|mine|yours|so|and|but|not|photo|pic|picture|moments?|support|words?|time|day|way"
    r"|thing|story|stories|love|someone|people|life|help|being|having|never|always|just|been"
    r"|only|even|still|definitely|maybe|also|then|now|today|yesterday|tomorrow|got|had|can|let"
    r"|let's|man|both|each|no|yes|last|next|no one|nobody|am|must|will|would|should|might|may"
    r"|is|was|are|were|has|have|sounds?|looks?|makes?)\b",
    re.IGNORECASE,
)
_POINTER = re.compile(
    r"^(?P<word>it|this|that|they|these|those)(?='s |'re |'ve | (?:is|was|has|have|are|were"
    r"|really|helps?|helped|makes?|made|gives?|keeps?|means?|meant|reminds?|brings?"
    r"|will|would|can|could|lets?|taught|showed|got|took|felt|feels|motivates?|inspire[sd]?"
    r"|represents?|always)\b)",
    re.IGNORECASE,
)
_EXPLETIVE = re.compile(
    r"^it(?:'s| is| was| means?| takes?| took| feels?| felt| makes?| has been|'s been) "
    r".*?(?:\bthat|\bto (?!me\b|us\b|my\b|the\b)\w|\bwhen|\bhow|\b[a-z]+ing)\b",
    re.IGNORECASE,
)


def of(sentence: str) -> str:
    """The noun that a sentence is about; empty when unclear."""
    match = _CONTRACTED.match(sentence) or _SUBJECT.match(sentence)
    if (
        not match
        or _NOT_NOUN.search(match["noun"])
        or match["noun"].lower().endswith(("ly", "'s", "ed"))
    ):
        return ""
    determiner = (match["det"] or "").lower()
    if not determiner and not re.match(r"(?:\w+ing|[A-Z]?\w+s|\w+)$", match["noun"]):
        return ""
    noun = match["noun"] if determiner else match["noun"][:1].upper() + match["noun"][1:]
    return f"{determiner} {noun}".strip()


def put_for_pronoun(clause: str, topic: str) -> str:
    """ "It was hard for me" about "Running" → "Running was hard for me"."""
    match = _POINTER.match(clause)
    if not match or not topic or _EXPLETIVE.match(clause):
        return clause
    plural = bool(re.search(r"(?:[^s]s|kids|people|children|folks|family|fam)$", topic))
    if plural != (match["word"].lower() in {"they", "these", "those"}) and not topic.endswith(
        ("family", "fam")
    ):
        return clause
    rest = clause[match.end() :]
    rest = re.sub(r"^'s (?=been|made|helped|given|allowed)", " has ", rest)
    rest = re.sub(r"^'s ", " is ", re.sub(r"^'re ", " are ", re.sub(r"^'ve ", " have ", rest)))
    return f"{topic}{rest}"
