"""What a person tells the assistant to keep or to do: "Please remember that …", "From now on …"."""

import re

from memoryweb.extraction.rules import dates, speakers, verdicts
from memoryweb.extraction.rules.drafts import Draft, Scene
from memoryweb.extraction.rules.verbs import words_of
from memoryweb.language.categories import Category

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


def asked(sentence: str, scene: Scene) -> tuple[str, bool]:
    """What stands after "please remember that", and whether that was said at all."""
    match = _REMEMBER.match(sentence)
    if not match or (not scene.to_assistant and _TO_A_FRIEND.search(sentence)):
        return sentence, False
    return match["what"].strip(), True


# "Don't forget to rest", "remember, you're great": said to a friend, not to a memory.
_TO_A_FRIEND = re.compile(
    r"\byou(?:r|rself)?\b|\bforget to\b|^(?:just )?(?:remember|don't forget)\b(?! my| our)"
    r"|\bimportant\b",
    re.IGNORECASE,
)


def is_reminder(clause: str) -> bool:
    """ "…, so please keep that in mind": what stands before it is what to remember."""
    return bool(_KEEP_THAT.match(clause))


_KEEP_THAT = re.compile(
    rf"^{_POLITE}(?:remember|note|keep|bear|don't forget|do not forget|save|write down|make a note"
    r" of) (?:that|this|it)(?: (?:in mind|down))?(?=$|[.!,]| (?:for|when|next|in|please))",
    re.IGNORECASE,
)


def wish_draft(sentence: str, scene: Scene, *, is_asked: bool) -> Draft | None:
    """ "Always answer in French" → "Ada asked to always answer in French." """
    found = _named_wish(sentence, scene) or (scene.to_assistant and _reminder(sentence, scene))
    if found:
        return found
    lasting = _FROM_NOW.match(sentence) or (scene.to_assistant and _STANDING.match(sentence))
    if lasting:
        return _wish(lasting["what"], scene, from_now="from now on" in sentence.lower(), asked=True)
    bare = re.sub(rf"^{_POLITE}", "", sentence, flags=re.IGNORECASE)
    if scene.to_assistant and bare != sentence and _LIMIT.search(bare) and _VERB_FIRST.match(bare):
        return _wish(bare, scene, from_now=False, asked=True)
    if scene.to_assistant and _VERB_FIRST.match(bare) and (is_asked or _DONT.match(bare)):
        return _wish(bare, scene, from_now=False, asked=is_asked)
    return _proposal(sentence, scene)


def _named_wish(sentence: str, scene: Scene) -> Draft | None:
    match = _CALL_ME.match(sentence)
    if not match or match["what"].lower() in _NOT_A_NAME:
        return None
    said = f"{scene.speaker} wants to be called {match['what']}."
    return Draft(said, durable=True, category=Category.IDENTITY)


def _reminder(sentence: str, scene: Scene) -> Draft | None:
    match = _REMIND_ME.match(sentence)
    if not match:
        return None
    what = speakers.oblique(match["what"].rstrip(".! "), scene.speaker)
    what = dates.resolve(what, scene.at, future=True).text
    said = f"{scene.speaker} asked to be reminded {match['how']} {what}."
    return Draft(said, durable=True, asked=True, category=Category.COMMITMENT)


def _wish(what: str, scene: Scene, *, from_now: bool, asked: bool) -> Draft | None:
    is_order = _VERB_FIRST.match(what) or re.match(r"(?:always|never|don't|do not) ", what, re.I)
    if _OWN_SUBJECT.match(what) and not is_order:
        return None
    wish = speakers.oblique(re.sub(r"^to ", "", what.rstrip(".! ")), scene.speaker)
    wish = re.sub(r"^(?:don't|do not) ", "not to ", wish, flags=re.IGNORECASE)
    wish = wish if wish.startswith("not to ") else f"to {wish[:1].lower()}{wish[1:]}"
    said = f"{scene.speaker} asked {wish}{' from now on' if from_now else ''}."
    return Draft(said, durable=asked, asked=asked, category=Category.DECISION)


def _proposal(sentence: str, scene: Scene) -> Draft | None:
    match = _DECIDED.match(sentence.rstrip(".! "))
    if not match or verdicts.content_words(match["what"]) < 2:
        return None
    what = dates.resolve(speakers.oblique(match["what"], scene.speaker), scene.at, future=True).text
    return Draft(f"{scene.speaker} proposed to {what}.", durable=True, category=Category.DECISION)


# "Please call only after two": a limit holds for every time.
_LIMIT = re.compile(
    r"\bonly (?:after|before|by|via|through|on|at|in|between|from|with|when|if)\b|\bnot before\b",
    re.IGNORECASE,
)
_NOT_A_NAME = words_of("when if back later at on tomorrow")
_DONT = re.compile(r"^(?:don't|do not) (?!worry|know|think|be\b)", re.IGNORECASE)
