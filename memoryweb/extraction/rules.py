"""The rules extractor: what people said that is worth keeping, in their own words, without a model.

Nothing is rewritten or joined across speakers: a line is a sentence, after the one before it in the
same message where it can't be understood alone.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime

from memoryweb.language.claims import Act, Claim, Kind, claim_of, resolved, spoken_of
from memoryweb.language.claims.reading import Sentence
from memoryweb.language.requests import forgets
from memoryweb.language.sentences import one_line, speech, split
from memoryweb.language.statements import Lookup

LONGEST = 400  # characters of a line
_TAIL = re.compile(r"[,;:，、；](?=[^,;:，、；]*$)")
_WORDS = re.compile(r"[^\W\d_]+")
_FEWEST_WORDS, _FEWEST_CHARACTERS = 4, 8
_NO_SPACES = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")


@dataclass(frozen=True)
class Spoken:
    """One message; `at` in the time zone that "yesterday" is meant in."""

    id: str
    role: str
    name: str
    content: str
    at: datetime


@dataclass(frozen=True)
class NoteLine:
    text: str
    message_ids: tuple[str, ...]
    durable: bool = False
    asked: bool = False
    kind: Kind = Kind.OTHER


@dataclass(frozen=True)
class _Scene:
    speaker: str  # "" where the line needs no name
    day: date
    to_assistant: bool


def extract(
    window: Sequence[Spoken],
    *,
    speaker: str = "",
    shared: bool = False,
    already: Sequence[str] = (),
) -> list[NoteLine]:
    """What people said in `window` that is worth keeping, in order; empty when nothing is.

    `speaker` names user messages without a name. In a chat with an assistant whose memory is
    theirs, people's sentences stand without their name; `shared` memory says who said them.
    """
    named = {message.name for message in window if message.role == "user" and message.name}
    to_assistant = any(message.role == "assistant" for message in window) or not named
    is_named = shared or len(named) > 1 or not to_assistant
    known, fresh = Lookup(already), Lookup()
    kept: dict[str, NoteLine] = {}
    for message in window:
        if message.role != "user":
            continue
        name = one_line(message.name or speaker, 40).strip(" .,:;：")
        scene = _Scene(name if is_named else "", message.at.date(), to_assistant)
        for line in _lines(message, scene):
            if next(known.covering(line.text), None) is not None:
                continue
            same = next(fresh.covering(line.text), None)
            if same is None:
                fresh.add(line.text)
                kept[line.text] = line
            else:
                kept[same] = _merged(kept[same], line)
    return list(kept.values())


def _merged(line: NoteLine, other: NoteLine) -> NoteLine:
    ids = tuple(dict.fromkeys(line.message_ids + other.message_ids))
    asked, durable = line.asked or other.asked, line.durable or other.durable
    return replace(line, message_ids=ids, durable=durable, asked=asked)


def _lines(message: Spoken, scene: _Scene) -> Iterator[NoteLine]:
    for parts in _groups(message.content, scene):
        text = "".join(f"{text}{_space(text)}" for text, _claim in parts)
        claim = max((claim for _text, claim in parts), key=lambda one: (one.durable, bool(one.key)))
        line = one_line(f"{scene.speaker}: {text}" if scene.speaker else text, LONGEST)
        asked = any(one.act is Act.ASKS for _text, one in parts)
        yield NoteLine(line, (message.id,), claim.durable, asked, claim.kind)


def _space(text: str) -> str:
    return "" if _NO_SPACES.search(text[-2:]) or text[-1:] in "。！？" else " "


def _groups(content: str, scene: _Scene) -> list[list[tuple[str, Claim]]]:
    """The sentences that are kept, each with the one that it needs."""
    groups: list[list[tuple[str, Claim]]] = []
    before: str | None = None  # the sentence before, unless it was asked
    is_open = False  # the last group ends with it
    is_asked = False  # "Remember this." stood before it
    # What is to be forgotten is nothing to write down.
    for text in (one for one in split(speech(content)) if not any(forgets(one))):
        sentence = spoken_of(text, scene.day)
        claim = _wanted(sentence, scene)
        if sentence.is_request and scene.to_assistant:
            is_asked = True
            continue
        if is_asked and (claim.durable or _tells(text, sentence, scene, is_asked=True)):
            claim, is_asked = replace(claim, durable=True, act=Act.ASKS), False
        if sentence.is_joke:
            groups, is_open, before = groups[:-1] if is_open else groups, False, None
            continue
        room = LONGEST - len(text)
        if not (claim.durable or _tells(text, sentence, scene)):
            is_kept = False
        elif sentence.leans and is_open and sum(len(part) for part, _claim in groups[-1]) < room:
            groups[-1].append((_shown(text, claim, scene), claim))
            is_kept = True
        elif sentence.leans and claim.durable and before is not None and len(before) < room:
            told = (_shown(before, Claim(), scene), Claim())
            groups.append([told, (_shown(text, claim, scene), claim)])
            is_kept = True
        elif is_kept := claim.durable or not sentence.leans:
            groups.append([(_shown(text, claim, scene), claim)])
        is_open = is_kept
        before = None if sentence.is_question and not claim.durable else text
    if is_asked and groups:  # "… Remember that."
        text, claim = groups[-1][-1]
        groups[-1][-1] = text, replace(claim, durable=True, act=Act.ASKS)
    return groups


def _wanted(sentence: Sentence, scene: _Scene) -> Claim:
    """Between friends nobody instructs an assistant."""
    claim = sentence.claim
    is_order = claim.act is Act.ASKS or claim.kind is Kind.INSTRUCTION
    if is_order and not scene.to_assistant:
        return replace(claim, durable=False, act=Act.STATES)
    return claim


def _tells(text: str, sentence: Sentence, scene: _Scene, *, is_asked: bool = False) -> bool:
    """Something of the speaker, for the journal: no question, no order, no small talk; or what
    somebody asks to remember, whomever it is of."""
    if sentence.is_question:
        return False
    spaced = _NO_SPACES.search(text) is None
    size = len({word for word in text.split() if _WORDS.search(word)}) if spaced else len(text)
    if size < (_FEWEST_WORDS if spaced else _FEWEST_CHARACTERS):
        return False
    language = sentence.language
    if language is None:
        return True
    if is_asked:
        return not language.small.search(text)
    if language.small.search(text) or not language.own.search(text):
        return False
    return not (scene.to_assistant and language.orders.search(text))


def _shown(text: str, claim: Claim, scene: _Scene) -> str:
    """As it was said, with the dates that it can only mean, and without a question at its end."""
    while claim.durable and text.rstrip().endswith(("?", "？")) and (cut := _TAIL.search(text)):
        shorter = claim_of(text[: cut.start()], scene.day)
        if (shorter.durable, shorter.key) != (True, claim.key):
            break
        text = text[: cut.start()]
    if not claim.durable:
        return resolved(text, scene.day)
    ends = True if claim.valid_to else None
    ahead = {Kind.PLAN: True, Kind.EVENT: False}.get(claim.kind, ends)
    return resolved(text, scene.day, ahead=ahead)
