"""First person to third: "I lost my job" becomes "Ada lost their job"."""

import re
from dataclasses import dataclass

from memoryweb.extraction.rules.verbs import (
    ADVERB,
    COORDINATED,
    is_past,
    third_person,
    words_of,
)

_SLANG = (
    (r"\b(do|did|does|is|was|are|have|has|could|would|should|ca|wo)nt\b", r"\1n't"),
    (r"\bI'?m\s*(?:a|'?mm?a)?\s*gonna\b", "I am going to"),
    (r"\bgonna\b", "going to"),
    (r"\bI(?:'ve| have)? gotta\b", "I have to"),
    (r"\bgotta\b", "have to"),
    (r"\bwanna\b", "want to"),
    (
        r"(?<!\w)'?(?:cuz|cos|cause)\b(?= (?:I|we|it|they|he|she|my|of|the|you|that|there)\b)",
        "because",
    ),
    (r"(?<!\w)'(?:cuz|cos|cause)\b", "because"),
    (r"\b(kind|sort|lot)a\b", r"\1 of"),
    (r"(?<=[a-z])'s (?=(?:my|our|a|an|the|so|very|going|really|super|not)\b)", " is "),
    (
        r"(?<=[a-z])'s (?=(?:been|gotten|got|allowed|helped|made|become|given|always|had)\b)",
        " has ",
    ),
    (r"(?<!\w)'em\b", "them"),
    (r"\bfave?\b", "favorite"),
    (r"\bfam\b", "family"),
    (r"\bbiz\b", "business"),
    (r"\bb/c\b", "because"),
    (r"\bw/ ", "with "),
    (r" & ", " and "),
    (r"\bI'm\b", "I am"),
    (r"\bim (?=\w)", "I am "),
    (r"\bI've\b", "I have"),
    (r"\bI'll\b", "I will"),
    (r"\bI'd (?=(?:\w+ly )?(?:better|been|had|never|already|always)\b)", "I had "),
    (r"\bI'd\b", "I would"),
    (r"\bwe're\b", "we are"),
    (r"\bwe've\b", "we have"),
    (r"\bwe'll\b", "we will"),
    (r"\bwe'd\b", "we would"),
    (r"\byou're\b", "you are"),
    (r"\byou've\b", "you have"),
    (r"\byou'll\b", "you will"),
)
_EXPANSIONS = tuple((re.compile(pattern, re.IGNORECASE), put) for pattern, put in _SLANG)


@dataclass(frozen=True)
class Cast:
    """Who speaks, to whom (empty when that is not clear), and who "we" are."""

    speaker: str
    other: str
    group: str


def expand(text: str) -> str:
    """Contractions and slang written out, so that every later step meets one form."""
    for pattern, put in _EXPANSIONS:
        text = pattern.sub(put, text)
    return re.sub(r"\bi\b(?=[ ,])", "I", text)


def third(text: str, cast: Cast, *, past: bool) -> str:
    """`text` is expanded and has a first person or none; `past` reads "read" and "put" as past."""
    text = _couples(_continued(text), cast.speaker)
    text = _addressed(text, cast.other, past)
    return _Rewriter(cast, text, past).run()


def oblique(text: str, speaker: str) -> str:
    """For what follows "Ada asked to": the speaker is named already."""
    text = re.sub(r"\b(?:my|our)\b", "their", expand(text), flags=re.IGNORECASE)
    text = re.sub(r"\b(?:me|us)\b(?!-)", "them", text, flags=re.IGNORECASE)
    text = re.sub(r"\b(?:myself|ourselves)\b", "themself", text, flags=re.IGNORECASE)
    return re.sub(
        r"\b(?:I|[Ww]e) (am|was)?", lambda m: f"they {_plural(m[1]) if m[1] else ''}", text
    )


def group_in(text: str) -> str:
    """Whom "we" may mean, from "my kids" or "my husband and kids" in what the speaker just said."""
    before = re.split(r"\b[Ww]e\b", text)[0]
    found = re.findall(
        rf"\b(?:my|our|(?:took|take|taking|brought|with) the) ((?:{_KIN})(?: and (?:my "
        rf")?(?:{_KIN}))?)\b",
        before,
        re.IGNORECASE,
    )
    return "their " + re.sub(r"\bmy\b", "their", found[-1].lower()) if found else ""


_KIN = (
    r"grand\w+|husband|wife|partner|boyfriend|girlfriend|fianc[eé]e?|kids|children|family|sons?"
    r"|daughters?|parents|mom|dad"
    r"|mother|father|brothers?|sisters?|friends?|team|band|crew|dog|puppy|best friend"
    r"|roommates?|colleagues|class"
)
_TOKEN = re.compile(
    rf"\b(?:(?P<I>I|we)(?P<adverbs>(?: {ADVERB})*)(?: (?P<verb>[A-Za-z]+(?:n't)?))?(?![\w'])"
    r"|(?P<poss>my|our)|(?P<obj>me|us)|(?P<mine>of mine|of ours|mine|ours)|(?P<self>myself"
    r"|ourselves))(?!-)\b",
    re.IGNORECASE,
)
_PLURALS = re.compile(
    r"\b(?:they|them|their|people|kids|children|folks|friends|students|customers|parents"
    r"|colleagues)\b",
    re.IGNORECASE,
)


class _Rewriter:
    """Left to right: the first mention is the name, later ones are "they"."""

    def __init__(self, cast: Cast, text: str, past: bool) -> None:
        self.cast, self.text, self.past = cast, text, past
        self.subject_named = self.grouped = False
        self.named = text.startswith(cast.speaker)
        self.confusing = bool(_PLURALS.search(text))

    def run(self) -> str:
        text = _TOKEN.sub(self._put, self.text)
        return re.sub(
            r"\b(and|but|or) (?:me|I)\b", lambda match: f"{match[1]} {self.cast.speaker}", text
        )

    def _put(self, match: re.Match[str]) -> str:
        if match["I"]:
            return (
                self._plural_subject(match) if match["I"].lower() == "we" else self._subject(match)
            )
        first, self.named = not self.named, True
        if match["poss"]:
            # "Losing their job gave Ada the push": the name comes where the person acts.
            gerund = re.match(r"\w+ing ", self.text) and re.search(r"\b(?:me|I)\b", self.text)
            if first and gerund:
                self.named = False
                return "their"
            return f"{self.cast.speaker}'s" if first else "their"
        if match["obj"]:
            if match["obj"].lower() == "us":
                return self._group_object(first)
            return self.cast.speaker if first or self.confusing else "them"
        if match["mine"]:
            owner = f"{self.cast.speaker}'s" if first else "theirs"
            return f"of {owner}" if match["mine"].lower().startswith("of") else owner
        return "themselves" if match["self"].lower() == "ourselves" else "themself"

    def _subject(self, match: re.Match[str]) -> str:
        adverbs, verb = match["adverbs"], match["verb"] or ""
        use_name = not self.subject_named or self.confusing
        self.subject_named = self.named = True
        if not use_name:
            return f"they{adverbs} {_plural(verb)}".rstrip()
        return f"{self.cast.speaker}{adverbs} {third_person(verb, past=self.past)}".rstrip()

    def _plural_subject(self, match: re.Match[str]) -> str:
        first = not self.grouped and not self.subject_named
        self.grouped = self.named = True
        if not first:
            return f"they{match['adverbs']} {match['verb'] or ''}".rstrip()
        group, verb = self.cast.group or f"{self.cast.speaker} and others", match["verb"] or ""
        adverbs = re.sub(r" (?:both|all)\b", "", match["adverbs"])
        if group.startswith(f"{self.cast.speaker}'s "):
            verb = third_person(verb, past=self.past)
        return f"{group}{adverbs} {verb}".rstrip()

    def _group_object(self, first: bool) -> str:
        return (self.cast.group or self.cast.speaker) if first else "them"


_AFTER_YOU = COORDINATED | {
    "are",
    "were",
    "do",
    "don't",
    "haven't",
    "aren't",
    "weren't",
    "work",
    "study",
}


def _plural(verb: str) -> str:
    return {"am": "are", "was": "were", "wasn't": "weren't"}.get(verb.lower(), verb)


def _couples(text: str, speaker: str) -> str:
    """ "My husband and I", "me and my sister": a plural subject whose verb stays as it is."""
    text = re.sub(
        rf"\b[Mm]y ((?:[\w-]+ ){{0,2}}(?:{_KIN})(?:,? [A-Z]\w+,?)?) and I\b(?! (?:am|was)\b)",
        lambda m: f"{speaker} and their {m[1]}",
        text,
    )
    return re.sub(
        rf"\b(?:Me|me|I) and my ((?:[\w-]+ )?(?:{_KIN}))\b",
        lambda m: f"{speaker} and their {m[1]}",
        text,
    )


def _addressed(text: str, other: str, past: bool) -> str:
    if not other:
        return text

    def subject(match: re.Match[str]) -> str:
        if match[2] not in _AFTER_YOU and not is_past(match[2]):
            return f"{other}{match[1]} {match[2]}"
        return f"{other}{match[1]} {third_person(match[2], past=past)}"

    text = re.sub(
        rf"\b[Yy]ou((?: {ADVERB})*) (am|are|were|have|do|don't|haven't|aren't|[a-z]+)\b",
        subject,
        text,
    )
    text = re.sub(r"\b[Yy]our\b", lambda m: f"{other}'s", text)
    return re.sub(r"\b[Yy]ou\b", lambda m: other, text)


def _continued(text: str) -> str:
    """Before the rewriting: "I have a dog and love it" → the second verb agrees too."""

    def put(match: re.Match[str]) -> str:
        head, joint, adverbs, verb = match.groups()
        if _INFINITIVE.search(head + " "):
            return match.group(0)
        first = re.match(rf"I(?: {ADVERB})* (\S+)", head)
        if first and is_past(first[1]) and verb not in _PRESENT_ANYWAY:
            return match.group(0)
        return f"{head}{joint}{adverbs}{third_person(verb)}"

    return _COORDINATION.sub(put, text)


_INFINITIVE = re.compile(
    r"\b(?:to|will|would|can|could|should|not|n't|let|help|helped|make"
    r"|made|and others) "
)
_PRESENT_ANYWAY = words_of("speak live love own have")
_COORDINATION = re.compile(
    rf"(\bI(?: {ADVERB})* \w+\b[^.;,]*?)( and | but )((?:{ADVERB} "
    rf")*)({'|'.join(sorted(COORDINATED))})\b"
)
