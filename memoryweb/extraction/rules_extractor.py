"""The rules extractor: what people said that is worth keeping, in their own words, without a model.

Nothing is rewritten: a line is a sentence, after the one that they said before it where it can't be
understood alone. Nothing is joined across speakers but a short answer to its question.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime

from memoryweb.language import role_play
from memoryweb.language.ending import parts_of, tells_change
from memoryweb.language.ending_signs import has_cue
from memoryweb.language.ending_signs import tells_change as is_news
from memoryweb.language.ending_slots import tells_value
from memoryweb.language.ending_words import heavy_in, labels_in
from memoryweb.language.extraction_rules import (
    Act,
    Claim,
    Kind,
    adds,
    answered,
    claim_of,
    is_ahead,
    is_for_later,
    last_day,
    means_what_stood_before,
    resolved,
    spoken_of,
    tells_of_life,
)
from memoryweb.language.extraction_rules.model import Language
from memoryweb.language.extraction_rules.own_words import stated
from memoryweb.language.extraction_rules.reading import Sentence
from memoryweb.language.forget_requests import forgets
from memoryweb.language.note_line import said_by
from memoryweb.language.procedures import stated_in
from memoryweb.language.sentences import one_line, speech, split, unopened
from memoryweb.language.statement_comparison import Lookup

LONGEST = 400  # characters of a line
_TAIL = re.compile(r"[,;:，、；](?=[^,;:，、；]*$)")
_WORDS = re.compile(r"[^\W\d_]+")
_FEW_HEAVY = 2  # words of a sentence that tells a value and hardly more
_FEWEST_WORDS, _FEWEST_CHARACTERS = 4, 8
_STOP = re.compile(r"[.!?…。！？]\W*$")
_LIGHT = re.compile("[😂🤣😜😝😛😆🤪🙃]")  # pictures are no part of a sentence
_FOLLOWING = re.compile(
    r"\b(?:following|these|this|below|as follows|folgende\w*|diese\w*|unten)\W*$"
    r"|(?:以下|下面|次)\S{0,8}$",
    re.IGNORECASE,
)
_NO_SPACES = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")


_NAME = re.compile(r"(?<=[\w,] )[A-ZÀ-Þ][^\W\d_]{2,}")


@dataclass(frozen=True)
class Utterance:
    """One message; `at` in the time zone that "yesterday" is meant in."""

    id: str
    role: str
    name: str
    content: str
    at: datetime
    in_room: bool = False  # several people speak there as users


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
    played: frozenset[Kind] = frozenset()  # what of themselves is a part's that they play


@dataclass(frozen=True)
class _Part:
    """One sentence of a line, as it is shown; `id` is its message's."""

    text: str
    claim: Claim
    id: str


def extract(
    window: Sequence[Utterance],
    *,
    speaker: str = "",
    shared: bool = False,
    already: Sequence[str] = (),
    before: Utterance | None = None,
) -> list[NoteLine]:
    """What people said in `window` that is worth keeping, in order; empty when nothing is.
    `before`: the message just before it, which may ask what its first one answers.

    `speaker` names user messages without a name. In a chat with an assistant whose memory is
    theirs, people's sentences stand without their name; `shared` memory says who said them.
    """
    is_room = any(message.in_room for message in window)
    to_assistant = any(message.role == "assistant" for message in window) or not is_room
    known, fresh = Lookup(already), Lookup()
    kept: dict[str, NoteLine] = {}
    last: dict[str, _Part | None] = {}  # what each speaker's message before ended with
    playing: set[str] = set()
    for asked, message in zip([before, *window], window, strict=False):
        if message.role != "user":
            continue
        name = one_line(message.name or speaker, 40).strip(" .,:;：")
        is_named = shared or message.in_room
        played = _played(playing, name, message.content)
        scene = _Scene(name if is_named else "", message.at.date(), to_assistant, played)
        groups, last[name] = _groups(message, scene, last.get(name))
        if asked and (part := _answer(asked, message, scene, groups)):
            groups = [[part]]
        for line in (_line(parts, scene) for parts in groups):
            if next(known.covering(line.text), None) is not None:
                continue
            same = next(fresh.covering(line.text), None)
            if same is None:
                fresh.add(line.text)
                kept[line.text] = line
            else:
                kept[same] = _merged(kept[same], line)
    return list(kept.values())


def _answer(
    asked: Utterance, message: Utterance, scene: _Scene, groups: Sequence[Sequence[_Part]]
) -> _Part | None:
    """A short answer to what somebody else asked just before, with the question; unless it says
    something by itself."""
    is_other = asked.role == "assistant" or (message.in_room and asked.name != message.name)
    if not is_other or scene.played:
        return None
    if any(part.claim.durable for parts in groups for part in parts):
        return None
    said = spoken_of(message.content, scene.day)
    if said.is_question or said.is_request or any(forgets(message.content)):
        return None
    if _is_small(said, message.content) or _orders(message.content, said, scene):
        return None
    if (text := answered(asked.content, message.content)) is None:
        return None
    claim = claim_of(text, scene.day)
    return _Part(_shown(text, claim, scene), claim, message.id)


def _played(playing: set[str], name: str, content: str) -> frozenset[Kind]:
    """Of the message that gives out the parts all that they say of themselves, of those after it
    who they are."""
    if role_play.opens(content):
        playing.add(name)
        return frozenset(Kind) - {Kind.INSTRUCTION}
    if role_play.closes(content):
        playing.discard(name)
    return frozenset({Kind.IDENTITY}) if name in playing else frozenset()


def _merged(line: NoteLine, other: NoteLine) -> NoteLine:
    ids = tuple(dict.fromkeys(line.message_ids + other.message_ids))
    asked, durable = line.asked or other.asked, line.durable or other.durable
    return replace(line, message_ids=ids, durable=durable, asked=asked)


def _line(parts: Sequence[_Part], scene: _Scene) -> NoteLine:
    text = "".join(f"{part.text}{_space(part.text)}" for part in parts)
    claim = max((part.claim for part in parts), key=_weight)
    line = one_line(said_by(scene.speaker, text), LONGEST)
    asked = any(part.claim.act is Act.ASKS for part in parts)
    ids = tuple(dict.fromkeys(part.id for part in parts))
    return NoteLine(line, ids, claim.durable, asked, claim.kind)


def _weight(claim: Claim) -> tuple[bool, ...]:
    return claim.durable, not claim.general, bool(claim.key)


def _space(text: str) -> str:
    return "" if _NO_SPACES.search(text[-2:]) or text[-1:] in "。！？" else " "


def _context(before: _Part, message_id: str) -> _Part:
    """For what follows it; in another message it ends with a mark."""
    stop = "。" if _NO_SPACES.search(before.text[-1:]) else "."
    is_open = before.id != message_id and not _STOP.search(before.text)
    return replace(before, text=before.text + stop if is_open else before.text, claim=Claim())


def _groups(
    message: Utterance, scene: _Scene, before: _Part | None
) -> tuple[list[list[_Part]], _Part | None]:
    """What is kept, each sentence with the one that it needs; and the last one where the speaker's
    next message may need it. `before` is the sentence before, unless it was asked."""
    kept = _Kept(message, scene, before)
    for text in _sentences(message):
        kept.take(text)
    groups = kept.groups
    if kept.is_asked and groups:  # "… Remember that."
        groups[-1][-1] = _asked(groups[-1][-1])
    return groups, kept.before if kept.is_open and scene.to_assistant else None


class _Kept:
    """What is kept of a message so far. `is_open`: the last group ends with the sentence before;
    `is_asked`: "Remember this." stood before it."""

    def __init__(self, message: Utterance, scene: _Scene, before: _Part | None) -> None:
        self.groups: list[list[_Part]] = []
        self.before, self.is_open, self.is_asked = before, False, False
        self._message, self._scene = message, scene
        self._is_light = bool(_LIGHT.search(message.content))

    def take(self, text: str) -> None:
        scene, before = self._scene, self.before
        if (wish := _timed(text, self._message, scene)) is not None:
            self._put(wish, leans=means_what_stood_before(text))
            self.before = None
            return
        sentence = spoken_of(text, scene.day)
        is_unnamed = _is_unnamed(sentence, scene) and not self.is_open
        is_vague = self._is_light or (sentence.leans and before is None)
        is_bare = sentence.needs_other and (before is None or len(before.text) >= _room(text))
        is_lost = (is_unnamed and before is None) or (sentence.is_lost and not self.is_open)
        claim = _wanted(sentence, scene, is_light=is_vague, is_lost=is_lost or is_bare)
        is_after = before is not None and before.claim.durable
        is_more = is_after and (adds(sentence) or _puts_right(sentence.text))
        is_told = is_more or (is_after and scene.to_assistant and _is_plain(sentence))
        if is_told and not (claim.durable or is_lost or sentence.is_lost or self._is_light):
            claim = Claim(durable=True, general=True)
        is_request = sentence.is_request and scene.to_assistant
        if is_request or _leads_in(text, claim):
            self.is_asked = self.is_asked or is_request or claim.act is Act.ASKS
            self.is_open = self.is_open and is_request
            self.before = before if is_request else None
            return
        if self.is_asked and (claim.durable or _tells(text, sentence, scene, is_asked=True)):
            claim = replace(claim, durable=True, act=Act.ASKS, general=False)
            self.is_asked = False
        if sentence.is_joke:
            self._take_back()
            return
        part = _Part(_shown(text, claim, scene), claim, self._message.id)
        is_noted = is_bare and sentence.claim.durable and not sentence.claim.general
        stands = claim.durable or is_noted or not sentence.leans
        leans = is_more or _leans(sentence, claim, before)
        is_kept = claim.durable or is_noted or _tells(text, sentence, scene)
        self._put(part, leans=leans, stands=stands, is_kept=is_kept)
        is_help = not (is_unnamed or _is_other(text, sentence, scene))
        self.before = part if claim.durable or is_help else None

    def _put(self, part: _Part, *, leans: bool, stands: bool = True, is_kept: bool = True) -> None:
        """With the sentence that it leans on, else where it `stands` by itself."""
        is_joined = (
            is_kept and leans and _joins(self.groups, part, self.before, is_open=self.is_open)
        )
        if is_kept and stands and not is_joined:
            self.groups.append([part])
        self.is_open = is_joined or (is_kept and stands)

    def _take_back(self) -> None:
        """A joke, and what led to it."""
        self.groups = self.groups[:-1] if self.is_open else self.groups
        self.is_open, self.before = False, None


def _timed(text: str, message: Utterance, scene: _Scene) -> _Part | None:
    """ "Forget this after 3 May." """
    is_wish = is_for_later(text) and last_day(text, scene.day) is not None
    if scene.played or not scene.to_assistant or not is_wish:
        return None
    said = resolved(text, scene.day, ahead=True)
    return _asked(_Part(said, claim_of(text, scene.day), message.id))


def _leans(sentence: Sentence, claim: Claim, before: _Part | None) -> bool:
    if sentence.leans or (claim.durable and (sentence.is_lost or sentence.is_unnamed)):
        return True
    return before is not None and sentence.drops_topic(before.claim)


def _room(text: str) -> int:
    return LONGEST - len(text)


def _joins(groups: list[list[_Part]], part: _Part, before: _Part | None, *, is_open: bool) -> bool:
    """It is put with the sentence that it needs, where both are short enough."""
    room = _room(part.text)
    if is_open and sum(len(one.text) for one in groups[-1]) < room:
        groups[-1].append(part)
    elif part.claim.durable and before and len(before.text) < room:
        groups.append([_context(before, part.id), part])
    else:
        return False
    return True


def _puts_right(text: str) -> bool:
    """ "No, I meant June 19.", of what was said before."""
    is_short = "fix" in labels_in(text) and len(heavy_in(text)) <= _FEW_HEAVY
    return is_short and bool(tells_value(text) or _NAME.search(text))


def _leads_in(text: str, claim: Claim) -> bool:
    """ "I've got the following:", and nothing of what."""
    if not text.rstrip().endswith((":", "：")):
        return False
    return not claim.durable or claim.general or bool(_FOLLOWING.search(text))


def _asked(part: _Part) -> _Part:
    return replace(part, claim=replace(part.claim, durable=True, act=Act.ASKS))


def _is_unnamed(sentence: Sentence, scene: _Scene) -> bool:
    """Between friends nobody is told who "they" are; an assistant was told before."""
    return sentence.is_unnamed and not scene.to_assistant


def _is_other(text: str, sentence: Sentence, scene: _Scene) -> bool:
    """Nothing that the next sentence could need."""
    return sentence.is_question or _orders(text, sentence, scene) or _is_small(sentence, text)


def _sentences(message: Utterance) -> list[str]:
    """What is to be forgotten is nothing to write down."""
    return [one for one in split(speech(message.content)) if not any(forgets(one))]


def _wanted(sentence: Sentence, scene: _Scene, *, is_light: bool, is_lost: bool) -> Claim:
    """Between friends nobody instructs an assistant, and much is said for company; and its form
    alone says little of a sentence that is made light of, or whose matter nobody knows. What is
    lost without a sentence that isn't there is for the notes."""
    claim = sentence.claim
    is_played = claim.kind in scene.played and not claim.subject
    claim = replace(claim, durable=claim.durable and not (is_lost or is_played))
    is_order = claim.act is Act.ASKS or claim.kind is Kind.INSTRUCTION
    if is_order and not scene.to_assistant:
        return replace(claim, durable=False, act=Act.STATES)
    if claim.general and (is_light or not scene.to_assistant):
        claim = Claim()
    if not (claim.durable or claim.key or is_light or is_lost or scene.played):
        return Claim(durable=_lasts(sentence, scene), general=True)
    return claim


def _is_plain(sentence: Sentence) -> bool:
    """Nothing asked, ordered, imagined or of the moment: beside what somebody tells of themselves
    it tells more."""
    spoken, text = sentence.language, sentence.text
    if spoken is None or sentence.is_question or sentence.is_request:
        return False
    return len(heavy_in(text)) > 1 and not _is_light(text, spoken)


def _is_light(text: str, spoken: Language) -> bool:
    cues = (spoken.small, spoken.orders, spoken.maybe, spoken.laughs, spoken.fleeting)
    return any(cue.search(text) for cue in cues)


def _lasts(sentence: Sentence, scene: _Scene) -> bool:
    """It states something of the speaker's life, or that a thing of theirs changed."""
    if tells_of_life(sentence):
        return True
    if scene.to_assistant and _states_whole(sentence):
        return True
    spoken, text = sentence.language, sentence.text
    if spoken is None or sentence.leans or sentence.is_lost:
        return False
    if not scene.to_assistant:  # much is said for company
        return False
    if sentence.is_question or _is_light(text, spoken):
        return False
    is_theirs = bool(spoken.own.search(text) or _NAME.search(text))
    is_told = is_news(text) and bool(heavy_in(text))
    return is_told or (is_theirs and (tells_change(text) or _is_whole(text, spoken)))


def _states_whole(sentence: Sentence) -> bool:
    """A clause of it that asks and orders nothing says something of the speaker or of a name."""
    spoken, text = sentence.language, sentence.text
    if spoken is None or sentence.leans or sentence.is_lost:
        return False
    for first, last in stated(sentence, spoken):
        clause = text[first:last].strip()
        is_theirs = spoken.own.search(clause) or _NAME.search(clause)
        is_light = _is_light(clause, spoken) or spoken.maybe.search(text[:last])
        if is_theirs and not is_light and _is_whole(clause, spoken):
            return True
    return False


def _is_whole(text: str, spoken: Language) -> bool:
    """A sentence on something, in which nothing is asked."""
    size = len(text) if _NO_SPACES.search(text) else len(text.split()) * 2
    is_asked = any(spoken.asking.search(text[first:last]) for first, last in parts_of(text))
    return size > _FEWEST_CHARACTERS and len(heavy_in(text)) > 1 and not is_asked


def _tells(text: str, sentence: Sentence, scene: _Scene, *, is_asked: bool = False) -> bool:
    """Something of the speaker, for the journal: no question, no order, no small talk; or how
    something is done, or what somebody asks to remember, whomever it is of."""
    if sentence.is_question or len(scene.played) > 1:
        return False
    if stated_in(text):
        return True
    spaced = _NO_SPACES.search(text) is None
    size = len({word for word in text.split() if _WORDS.search(word)}) if spaced else len(text)
    if size < (_FEWEST_WORDS if spaced else _FEWEST_CHARACTERS):
        return False
    language = sentence.language
    if language is None:
        return True
    if is_asked:
        return not language.small.search(text)
    if sentence.leans and language.fleeting.search(text):
        return False
    if language.small.search(text) or not (language.own.search(text) or has_cue(text)):
        return False
    return not _orders(text, sentence, scene)


def _is_small(sentence: Sentence, text: str) -> bool:
    return sentence.language is not None and bool(sentence.language.small.search(text))


def _orders(text: str, sentence: Sentence, scene: _Scene) -> bool:
    language = sentence.language
    return scene.to_assistant and language is not None and bool(language.orders.search(text))


def _shown(text: str, claim: Claim, scene: _Scene) -> str:
    """As it was said, with the dates that it can only mean, and without "Yep, " before it or a
    question at its end."""
    text = unopened(text)
    while claim.durable and text.rstrip().endswith(("?", "？")) and (cut := _TAIL.search(text)):
        shorter = claim_of(text[: cut.start()], scene.day)
        if (shorter.durable, shorter.key) != (True, claim.key):
            break
        text = text[: cut.start()]
    if not claim.durable:
        return resolved(text, scene.day)
    return resolved(text, scene.day, ahead=is_ahead(claim, text))
