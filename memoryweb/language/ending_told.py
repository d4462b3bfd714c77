"""What a text tells of its speaker, clause by clause: the topics and cues of each, whether it is
of somebody else, and which of them say that something is so now. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from memoryweb.language.clauses import QUESTION
from memoryweb.language.ending_parts import Span, parts_of
from memoryweb.language.ending_slots import LEVEL
from memoryweb.language.ending_words import heavy_in, labels_in, listed
from memoryweb.language.normal_form import is_cjk
from memoryweb.language.sentences import spans

# Of these there is one at a time, so that another one ends the old.
ONE = listed(
    """home job shift boss doctor dietstyle phone email name car handset laptop os editor
    notes browser music chat bank gym study"""
)
_NO_NEWS = frozenset({"unsure", "told", "past"})
_JOKE = re.compile("[🙄🙃🤡]|(?:^|\\s)/s\\W*$")
_ASKS = re.compile(
    r"\s*(?:should|shall|is it|are you|can|could|do|does|did|what|which|how|why|when|where"
    r"|who|soll|kann\w*"
    r"|könn\w+|was|wie|wo|wann|warum|wer|welche\w*|ist es|hast|kennst|need an?|write|give"
    r"|whats)\b",
    re.IGNORECASE,
)
_SINCE = re.compile(
    r"\b(?:since|as of|from|starting|seit|ab)\s(?:the\s|dem\s|last\s|next\s|letzte\w*\s"
    r"|nächste\w*\s"
    r"|this\s|diese\w*\s)?(?:\d|(?:mon|tues|wednes|thurs|fri|satur|sun)day|today|tomorrow"
    r"|yesterday"
    r"|week|month|year|new year|easter|christmas|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
    r"|heute|gestern|morgen|neujahr|ostern|weihnachten|montag|dienstag|mittwoch|donnerstag"
    r"|freitag"
    r"|samstag|sonntag|woche|monat|jahr|mär|mai|okt|dez|kurzem|neuestem|\w+mittwoch)",
    re.IGNORECASE,
)
_SELF = re.compile(
    r"\b(?:i|i'm|im|i've|ive|i'll|we|we're|we've|ich|wir)\b|[我私僕俺]", re.IGNORECASE
)
_ME = re.compile(r"\b(?:me|us|mich|mir|uns)\b", re.IGNORECASE)
_NAMED = re.compile(
    r"\s*(?:(?:oh|so|and|und|also|hey|well)[, ]+)?"
    r"(?P<name>(?!(?:My|Our|The|This|That|It|There|Mein"
    r"|Unser)\b)[A-ZÄÖÜ][\w-]+(?: [A-ZÄÖÜ][\w-]+)?)"
    r"(?:\s(?:from|von|aus|vom)\s[^,]+?)?"
    r"(?:'s\s|\s+(?:has|is|was|got|just|moved|quit|left|found|started|bought|will|says|lives|works|hat|ist"
    r"|zieht|geht|war|wird|wohnt|arbeitet|isst|trinkt|macht|nimmt|raucht)\b)"
)
_SHE = re.compile(r"\s*(?:(?:and|und) )?(?:he|she|they|er|sie)\b(?!\w)|[彼她他]", re.IGNORECASE)
_CJK_NAMED = re.compile(
    r"\s*(?P<name>[^\s、。はがの\d]{1,6}?(?:さん|くん|君|ちゃん)?)が"
    r"(?=[^、。]*(?:転職|引っ越|結婚|離婚|別れ|辞め|退職|買っ|卒業|入社|異動|出産|妊娠))"
)
_ADDRESS = re.compile(
    r"\b\d+\w? [A-Z][\w ]+ (?:Road|Rd|Street|St|Lane|Avenue|Ave|Close|Drive|Court)\b"
    r"|\b[A-ZÄÖÜ]\w*(?:straße|strasse|str\.|weg|gasse|platz|allee) \d+"
)
# A trade and where, or one of those that end in such signs.
_WORKS = re.compile(
    r"\b(?:bin|sitz\w*|arbeite) jetzt (?:im|in der|am|als|bei der|bei|beim) (?!urlaub|zug"
    r"|auto|bett|bus)\w"
    r"|\b(?:i'm|i am|im|bin|work\w*|arbeite) [^,]{2,40}? (?:at|bei|beim)"
    r" (?!frau|herr|dr\b|meine?|my |this |the moment|night|home|least|all|once|times|\d)\w"
    r"|[^\W\d_下上苦相右左若](?:手|師|員|士|者|屋|係|官|課)"
    r"(?:で|です|として|を(?:して|やって)|に(?:なり|なっ))",
    re.IGNORECASE,
)
_OTHERS_PARTNER = re.compile(
    r"(?:\w's|\b(?:his|her|their)) (?:wife|husband|girlfriend|boyfriend|partner|fianc)"
    r"|\b(?:seine|ihre) (?:frau|freundin)|\bihr (?:mann|freund)\b",
    re.IGNORECASE,
)
_NO_JOB = listed("doctor bank study partner gym")
_MOVED = re.compile(
    r"(?:^|\b(?:i|we|i've|we've|have|just|finally|and|all|officially|now) )moved? "
    r"(?:in|out|to|into|up to|down to|over to|back to)\b"
    r"(?! (?:mon|tue|wed|thu|fri|sat|sun|the \d|\d|a different|another|using))",
    re.IGNORECASE,
)
_WITH_FRIENDS = re.compile(
    r"\bwith (?:an? |my |some )?friends?\b|\bmit (?:(?:ein|mein)\w* )?(?:freunden"
    r"|kollegen)\b|(?:友達|友人|朋友)[とら]",
    re.IGNORECASE,
)
_OTHERS_REACH = re.compile(
    r"\b(?:the|an?|\w+'s) \w+'s (?:new )?(?:e-?mail|number|phone|address)|(?:nummer|mail"
    r"|adresse) (?:vom|von"
    r"|der|des)\b|(?<![私僕俺])[^\s私僕俺の、]{1,6}の(?:番号|電話|メール|アドレス)(?!を)",
    re.IGNORECASE,
)
_MOVED_OFF = re.compile(r"\bmoved (?:back )?to [A-Z]|\b(?:nach|zurück nach) [A-ZÄÖÜ]\w+ gezogen")
_STAY = re.compile(r"\b(?:i'm|im|we're|bin|sind|wir sind) (?:jetzt |now )?in [A-ZÄÖÜ]")
_CJK_KIN = re.compile(
    r"(?:姉|兄|妹|弟|母|父|両親|友達|友人|同僚|同期|先輩|後輩|いとこ|叔母|叔父|隣|息子|娘"
    r"|祖母|祖父|姪|甥|次女|長男|長女"
    r"|朋友|同事|姐姐|哥哥)(?:っ子|さん|ちゃん|たち)?(?:[がはも]|の[^、。]{1,8}[がは]"
    r"|[^、。のがはをにと]{0,3}[がは])"
)


@dataclass(frozen=True)
class Part:
    """A clause: where it stands, what it speaks of, and whether of somebody else."""

    span: Span
    text: str
    labels: frozenset[str]
    heavy: frozenset[str]
    who: str


@dataclass(frozen=True)
class News:
    """What of a text tells that something is so now: a clause and the labels of its sentence."""

    parts: tuple[tuple[Part, frozenset[str]], ...]
    labels: frozenset[str]  # of what the speaker says of themselves
    heavy: frozenset[str]
    text: str


@lru_cache(maxsize=16_384)
def parts_in(text: str) -> tuple[Part, ...]:
    found: list[Part] = []
    for start, end in parts_of(text):
        words = text[start:end]
        labels = _labels(words)
        who = _who(words, labels, found[-1].who if found else "")
        found.append(Part((start, end), words, labels, heavy_in(words), who))
    return tuple(found)


def _labels(words: str) -> frozenset[str]:
    labels = set(labels_in(words))
    if _ADDRESS.search(words):
        labels.add("home")
    if _MOVED.search(words):
        labels |= {"home", "home!"}
    if _MOVED_OFF.search(words):
        labels.add("gone")
    if LEVEL.search(words):
        labels.add("level")
    if _WITH_FRIENDS.search(words):
        labels -= {"friend", "kin"}
    if _OTHERS_PARTNER.search(words):
        labels -= {"partner"}
    if "home" in labels:
        labels -= {"job"}
    if _WORKS.search(words):
        labels |= set() if labels & _NO_JOB else {"job", "job?"}
    others = labels & (ONE - {"home", "job", "study"})
    if others:  # "the account moved to …", "no more nights, graduated from them"
        labels -= {"home!", "study!"} | ({"job"} if "bank" in others else set())
    return frozenset(labels)


def _who(words: str, labels: frozenset[str], before: str) -> str:
    """Who else a clause is of; nobody where the speaker is."""
    if _SELF.search(words):
        return ""
    if _OTHERS_REACH.search(words) or ("kin" in labels and not is_cjk(words)):
        return "kin"
    if _CJK_KIN.search(words):
        return "kin"
    if _SHE.match(words) and not _ME.search(words):
        return before or "they"
    named = _NAMED.match(words) or _CJK_NAMED.match(words)
    if not named or _ME.search(words) or labels_in(named["name"]):
        return ""
    return named["name"].casefold()


def named_in(text: str) -> str:
    """The name of whom its first clause is of, where that is not the speaker."""
    who = next((part.who for part in parts_in(text)), "")
    return "" if who in {"kin", "they"} else who


@lru_cache(maxsize=16_384)
def news_in(text: str) -> News:
    if _JOKE.search(text) or "joke" in labels_in(text):
        return News((), frozenset(), frozenset(), text)
    kept = [one for start, end in spans(text) for one in _told(text, start, end)]
    own = [part.labels for part, _labels in kept if not part.who]
    since = {"now"} if _SINCE.search(text) else set()
    since |= {"home!"} if since and _STAY.search(text) else set()
    return News(
        tuple(kept),
        frozenset(since).union(*own) if own else frozenset(),
        frozenset().union(*(part.heavy for part, _labels in kept)),
        text,
    )


def _with_next(part: Part, after: list[Part]) -> frozenset[str]:
    """With what the next clause tells of it, in a language where は or が would name another."""
    goes_on = after and is_cjk(after[0].text) and not re.search("[はがも]", after[0].text)
    cues = {"end", "died", "off", "done", "gone"}
    return part.labels | (after[0].labels & cues) if goes_on else part.labels


def asks(sentence: str) -> bool:
    return bool(QUESTION.search(sentence) or _ASKS.match(sentence))


def _told(text: str, start: int, end: int) -> Iterator[tuple[Part, frozenset[str]]]:
    """The clauses of a sentence that say what is so, each with the labels of them all."""
    sentence = text[start:end]
    if asks(sentence):
        return
    kept: list[Part] = []
    for part in parts_in(text):
        if not start <= part.span[0] < end:
            continue
        if part.labels & _NO_NEWS:
            break
        if "more" not in part.labels:
            kept.append(part)
    kept = [
        replace(part, labels=_with_next(part, kept[n : n + 1])) for n, part in enumerate(kept, 1)
    ]
    since = {"now"} if _SINCE.search(sentence) else set()
    labels = frozenset(since).union(*(part.labels for part in kept))
    if "once" in labels and not labels & {"now", "done"}:  # "no coffee today"
        labels -= {"end"}
        kept = [replace(part, labels=part.labels - {"end"}) for part in kept]
    yield from ((part, labels) for part in kept)
