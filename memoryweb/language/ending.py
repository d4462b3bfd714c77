"""Which words of an older sentence a newer one of the same speaker ends: a clause of which the
newer one tells that it changed or is over, or the words of one slot of it. Pure.

What only looks like a change (a second child, a friend's move, a visit, a wish, a question) ends
nothing: where that can't be told, neither does anything else."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from memoryweb.language.clauses import QUESTION
from memoryweb.language.ending_parts import Span, parts_of, remains
from memoryweb.language.ending_words import heavy_in, labels_in, listed
from memoryweb.language.extraction_rules import dates_in, resolved
from memoryweb.language.extraction_rules.relative_dates import span_of
from memoryweb.language.normal_form import is_cjk
from memoryweb.language.sentences import spans

__all__ = ["ended_in", "on_day", "parts_of", "remains", "tells_change"]

_NO_NEWS = frozenset({"unsure", "told", "past", "joke"})
_CUES = frozenset({"now", "end", "moved"})
_EVENTS = frozenset({"off", "died", "done", "healed!"})
# Of these there is one at a time, so that a new one ends the old.
_ONE = listed("""home job shift boss doctor dietstyle phone fax email name car handset laptop os
    editor notes     browser music bank gymplace rent pay budget study level partner tutor chat""")
_ANIMALS = listed("dog cat bird horse rabbit smallpet")
_FOODS = listed("dietstyle meat fish dairy gluten egg nuts alcohol coffee sugar smoke")
_MONEY = listed("rent pay budget fee")
_PLANS = listed("wedding trip")
_JOKE = re.compile("[🙄🙃🤡]|(?:^|\\s)/s\\W*$")
_ASKS = re.compile(
    r"\s*(?:should|shall|is|are|can|could|do|does|did|what|which|how|why|when|where|who|soll|kann"
    r"|könn\w+|was|wie|wo|wann|warum|wer|welche\w*|ist|hast|kennst|need an?|write|give|whats)\b",
    re.IGNORECASE,
)
_MAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_TEL = re.compile(r"(?<![\w.])\+?\d[\d ()/.-]{5,}\d(?!\w)")
_KIN = (
    r"(?:sister|brother|mother|mum|mom|dad|father|son|daughter|aunt|uncle|cousin|friend|colleague"
    r"|coworker|neighbou?r|flatmate|roommate|boss|nan|gran\w*|niece|nephew|ex|in-laws|parents|kids?"
    r"|best friend|wife|husband|schwester|bruder|mutter|mama|vater|papa|sohn|tochter|tante|onkel"
    r"|cousine?|freund(?:in)?|kolleg(?:e|in)|nachbar(?:in)?|oma|opa|nichte|neffe|eltern|kinder|frau"
    r"|mann)"
)
_OTHER = re.compile(
    rf"\s*(?:(?:oh|so|and|und|also|hey|well)[, ]+)?(?:(?:my|our|mein\w?|unser\w?)\s(?:\w+\s)?"
    rf"(?P<kin>{_KIN})\b"
    r"|(?P<name>[A-ZÄÖÜ][\w-]+)(?:\s(?:from|von|aus|vom)\s[^,]+?)?(?:'s|\s+(?:has|is|was|got|just|moved|quit|left|hat|ist|zieht|geht|war|wird|wohnt|arbeitet|found|started|bought|will|says))\b"
    r"|(?P<pronoun>he|she|they|er|sie|die)\s(?:has|is|was|'s|are|have|hat|ist|geht|zieht)\b)",
)
_CJK_OTHER = re.compile(
    r"\s*(?P<name>[^\s、。はがの]{1,6}?(?:さん|くん|君|ちゃん)?)[がは](?=[^、。]*(?:転職|引っ越|結婚|離婚|別れ|辞め|退職|買っ|卒業|入社|異動|出産|妊娠))"
    r"|(?P<kin>姉|兄|妹|弟|母|父|友達|友人|同僚|同期|先輩|後輩|いとこ|叔母|叔父|朋友|同事|姐姐|哥哥|妹妹|弟弟)(?:さん|ちゃん)?[がはのも]"
)
_OWN = re.compile(
    r"\b(?:i|i'm|im|i've|ive|me|my|mine|we|we're|us|our|ich|mich|mir|mein\w*|wir|uns|unser\w*)\b"
    r"|[我私僕俺]|うち",
    re.IGNORECASE,
)
_FRIEND = re.compile(
    r"\b(?:friend|colleague|coworker|classmate|neighbou?r|(?:beste\w? )?freundin \w+|kolleg\w+"
    r"|kumpel)\b"
    r"|同期|友達|友人|同僚|先輩|朋友|同事",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"\b(?:yet|still|waiting|not finished|unfinished|noch|warte\w*)\b|まだ|待ち", re.IGNORECASE
)
_AT = re.compile(
    r"\s(?P<en>(?:at|for|with|in|bei|beim|im|in der|am)\s(?:the\s|der\s|den\s)?[A-ZÄÖÜ].*)$"
    r"|(?P<ja>^.{2,14}?(?:で|の))(?=[^で]*(?:やって|働|勤め|看護|教師|エンジニア|営業|として|してます|してる))"
)
_AS = re.compile(
    r"\b(?:as an? |as the |i'm an? |als |bin (?:jetzt )?\w+(?:in|er)\b)|として|になり"
    r"|answering|driving|teaching",
    re.IGNORECASE,
)
_DAY = re.compile(
    r"\b(?:mon|tue|tues|wed|thu|thur|thurs|fri|sat|sun)(?:day|sday|nesday|rsday|urday)?s?\b"
    r"|\b(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)s?(?:abends?)?\b"
    r"|\b(?-i:Mo|Di|Mi|Do|Fr|Sa|So)\b(?=[/,+&]| und (?-i:Mo|Di|Mi|Do|Fr|Sa|So)\b)"
    r"|[月火水木金土日]曜|(?<![一-鿿\d])[月火水木金土日]{2,}(?![一-鿿])|(?:周|星期)[一二三四五六日]",
    re.IGNORECASE,
)
_MONTH = r"(?:jan|feb|mar|mär|apr|may|mai|jun|jul|aug|sep|o[ck]t|nov|de[cz])\w*"
_DATE = re.compile(
    r"(?:\b(?:on the|on|am|den|for the|vom|the)\s)?"
    rf"(?:\b\d{{1,2}}(?:st|nd|rd|th)(?: of)?(?: {_MONTH})?\b"
    rf"|\b{_MONTH} (?:the )?\d{{1,2}}(?:st|nd|rd|th)?\b|\b\d{{1,2}}\.(?: ?{_MONTH}| ?\d{{1,2}}\.)?"
    rf"|\b\d{{1,2}} {_MONTH}\b)|(?:\d{{1,2}}月)?\d{{1,2}}[日号](?!間)|\d{{1,2}}月\d{{1,2}}(?!\d)",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"(?:\b(?:at|um)\s)?\b\d{1,2}(?:[:.]\d\d)?\s?(?:am|pm|uhr|o'clock)\b|(?:\b(?:at|um)\s)\d{1,2}(?::\d\d)?\b"
    r"|\b\d{1,2}:\d\d\b|(?:午前|午後)?\d{1,2}時(?!間)(?:半|\d{1,2}分)?",
    re.IGNORECASE,
)
_AMOUNT = re.compile(
    r"(?P<sign>[£$€¥])?\s?(?P<n>\d+(?:[.,]\d+)*)(?P<man>万(?P<sen>\d+千)?)?\s?"
    r"(?P<unit>mg|ml|µg|kg|km|k|euros?|eur|€|£|pounds?|dollars?|円|%|hours?|hrs?|h|stunden|std|时间|時間"
    r"|回|錠|tablets?|tabletten|people|guests|gäste|personen|人|名|キロ|ミリ)?(?![\w:])",
    re.IGNORECASE,
)
_UNITS = {
    "€": "money", "£": "money", "$": "money", "¥": "money", "euro": "money", "euros": "money",
    "eur": "money", "pound": "money", "pounds": "money", "dollars": "money", "円": "money",
    "hour": "hours", "hours": "hours", "h": "hours", "hr": "hours", "hrs": "hours",
    "stunden": "hours", "std": "hours", "時間": "hours", "people": "people", "guests": "people",
    "gäste": "people", "personen": "people", "人": "people", "名": "people", "ミリ": "mg",
    "キロ": "kg",
}  # fmt: skip


@dataclass(frozen=True)
class _Part:
    """A clause: where it stands, what it speaks of, and who of (nobody: the speaker)."""

    span: Span
    text: str
    labels: frozenset[str]
    heavy: frozenset[str]
    who: str


@dataclass(frozen=True)
class _News:
    """What of a text tells that something is so now, in the order in which it is said."""

    parts: tuple[_Part, ...]
    labels: frozenset[str]
    heavy: frozenset[str]
    text: str


def ended_in(
    newer: str, older: str, said: date | None = None, older_said: date | None = None
) -> tuple[str, ...]:
    """The words of the older sentence, letter for letter, that the later one ends."""
    if said and older_said and said < older_said:
        return ()
    news = _news(newer)
    if not news.parts:
        return ()
    old = _parts(older)
    if "fix" in news.labels:
        is_near = bool(said and older_said and (said - older_said).days <= 1)
        return tuple(_mended(news, old, older, is_near=is_near))
    found = [(part, ended) for part in old if (ended := _ended(news, part))]
    return tuple(words for _part, words in _chosen(found, news))


def tells_change(text: str) -> bool:
    """It says by itself that something of the speaker's own life changed or is over."""
    news = _news(text)
    if not any(not part.who for part in news.parts):
        return False
    topics = {label.rstrip("!") for label in news.labels} & (
        _ONE | _FOODS | _ANIMALS | _PLANS | _MONEY
    )
    is_told = any(label.endswith("!") for label in news.labels)
    cue = bool(news.labels & (_CUES | _EVENTS))
    return is_told or (
        cue and bool(topics or (news.heavy and news.labels & {"end", "off", "died"}))
    )


def on_day(newer: str, said: date | None) -> date | None:
    """Since when it is so: a day that the newer sentence names for it, or that it was said."""
    if said is None:
        return None
    ahead = span_of(resolved(newer, said, ahead=True), said)
    if ahead.start:
        return ahead.start
    past = [day for day in dates_in(resolved(newer, said, ahead=False), said) if day <= said]
    near = [day for day in past if (said - day).days <= 366]
    return near[-1] if near else said


@lru_cache(maxsize=16_384)
def _parts(text: str) -> tuple[_Part, ...]:
    found: list[_Part] = []
    for start, end in parts_of(text):
        words = text[start:end]
        found.append(_Part((start, end), words, labels_in(words), heavy_in(words), _who(words)))
    return tuple(found)


@lru_cache(maxsize=16_384)
def _news(text: str) -> _News:
    if _JOKE.search(text) or "joke" in labels_in(text):
        return _News((), frozenset(), frozenset(), text)
    kept = [part for start, end in spans(text) for part in _told(text, start, end)]
    own = [part for part in kept if not part.who]
    # A phrase may be cut by a comma, and a topic stand beside its cue.
    labels = frozenset().union(*(part.labels for part in own)) if own else frozenset()
    heavy = frozenset().union(*(part.heavy for part in kept)) if kept else frozenset()
    return _News(tuple(kept), labels, heavy, text)


def _told(text: str, start: int, end: int) -> Iterator[_Part]:
    sentence = text[start:end]
    if QUESTION.search(sentence) or _ASKS.match(sentence):
        return
    for part in _parts(text):
        if not start <= part.span[0] < end:
            continue
        if part.labels & _NO_NEWS:
            return
        if "more" not in part.labels:
            yield part


def _who(words: str) -> str:
    """Who else a clause is of; nobody where the speaker is."""
    found = _OTHER.match(words) or _CJK_OTHER.match(words)
    if not found:
        return ""
    name = next((it for it in found.groups() if it), "").casefold()
    if found.groupdict().get("name") and (labels_in(name) or _OWN.search(words[: found.end()])):
        return ""
    return name


def _ended(news: _News, part: _Part) -> str:
    """The words of the clause that the news end, if any."""
    if "past" in part.labels:
        return ""
    return (
        _by_reach(news, part)
        or _by_name(news, part)
        or _by_topic(news, part)
        or _by_amount(news, part)
        or _by_days(news, part)
    )


def _by_reach(news: _News, part: _Part) -> str:
    """Another address or number to reach somebody at, with a word that it is so now."""
    if not news.labels & _CUES:
        return ""
    for pattern in (_MAIL, _TEL):
        one, other = pattern.search(part.text), pattern.search(news.text)
        if one and other and _digits(one[0]) != _digits(other[0]):
            return part.text
    if "fax" in part.labels & news.labels and "end" in news.labels:
        return part.text
    return ""


def _digits(text: str) -> str:
    return text.casefold() if "@" in text else re.sub(r"\D", "", text)


def _by_name(news: _News, part: _Part) -> str:
    """It says of something that both name that it is over."""
    for one in news.parts:
        shared = one.heavy & part.heavy or _within(one.heavy, part.heavy)
        is_same = shared or (one.labels & part.labels & (_ANIMALS | _PLANS))
        if not is_same or (one.who and not shared):
            continue
        if part.who and part.who != one.who and not shared:
            continue
        if _FRIEND.search(part.text) or _FRIEND.search(one.text):
            continue
        cues = one.labels | (news.labels & {"died", "off"})
        if cues & {"died"} and (part.labels & _ANIMALS or shared):
            return _of_those(part, shared, one.labels)
        if cues & {"off"} or (shared and "end" in cues):
            return _of_those(part, shared, one.labels)
        if shared and "partner" in part.labels and "partner!" in news.labels:
            return part.text
        if shared and cues & {"done", "healed!"} and _OPEN.search(part.text):
            return part.text
    return ""


def _within(one: frozenset[str], other: frozenset[str]) -> frozenset[str]:
    """Runs of signs of which one holds the other."""
    pairs = (
        (a, b) for a in one for b in other if is_cjk(a) and is_cjk(b) and len(a) > 1 and len(b) > 1
    )
    return frozenset(b for a, b in pairs if a in b or b in a)


def _of_those(part: _Part, shared: Iterable[str], labels: frozenset[str]) -> str:
    """Of "the parrot Pip and the dog Rex" the one that is meant."""
    cuts = [*re.finditer(r"\s(?:and|und|&)\s|と(?=[^言思い])", part.text)]
    if not cuts:
        return part.text
    edges = [0, *(at for cut in cuts for at in cut.span()), len(part.text)]
    pieces = list(zip(edges[::2], edges[1::2], strict=True))
    words = [part.text[a:b] for a, b in pieces]
    meant = [
        word
        for word in words
        if heavy_in(word) & set(shared) or labels_in(word) & labels & _ANIMALS
    ]
    others = [word for word in words if word not in meant and labels_in(word) & _ANIMALS]
    if len(meant) == 1 and others:
        bare = re.sub(r"^.*?は(?=.)", "", meant[0]) if is_cjk(meant[0]) else meant[0]
        return re.sub(r"(?:が|も)(?:いて|います|いる).*$", "", bare)
    return part.text


def _by_topic(news: _News, part: _Part) -> str:
    """Of what both speak of there is one at a time, or an event ended it."""
    if part.who or _FRIEND.search(part.text):
        return ""
    for topic in sorted(part.labels & (_ONE | _FOODS | {"pregnant", "cast"})):
        if _changes(news, topic, part):
            return _employer(news, part) if topic == "job" else part.text
    return ""


def _changes(news: _News, topic: str, part: _Part) -> bool:
    if "visit" in news.labels and topic in {"home", "job"}:
        return False
    if f"{topic}!" in news.labels:
        return True
    is_both = topic in news.labels
    if topic in _FOODS:
        return is_both and bool(news.labels & {"food!", "end"})
    if topic in {"cast", "pregnant"}:
        return is_both and bool(news.labels & {"healed!", "end", "done"})
    if topic in _MONEY or topic == "home":
        return False
    return is_both and bool(news.labels & {"now", "end"}) and bool(news.heavy - part.heavy)


def _employer(news: _News, part: _Part) -> str:
    """Who leaves a place of work may keep the trade."""
    at = _AT.search(part.text)
    return at[at.lastgroup or 0] if at and not _AS.search(news.text) else part.text


def _by_amount(news: _News, part: _Part) -> str:
    """Another amount of the same thing."""
    if not news.labels & {"now", "moved"} or part.who:
        return ""
    olds, news_ = _amounts(part.text), _amounts(news.text)
    is_money = bool(part.labels & news.labels & _MONEY)
    shared = news.heavy & part.heavy or _within(news.heavy, part.heavy)
    if not (shared or is_money) or not olds or not news_:
        return ""
    for _at, unit, value in olds:
        for _there, other, new in news_:
            if (unit == other or not (unit and other)) and value != new and 0.3 < new / value < 3.4:
                return part.text
    return ""


def _amounts(text: str) -> list[tuple[Span, str, float]]:
    found = []
    for it in _AMOUNT.finditer(text):
        value = _value(it)
        unit = (it["unit"] or it["sign"] or "").lower()
        if value:
            found.append((it.span(), _UNITS.get(unit, unit), value))
    return found


def _value(it: re.Match[str]) -> float:
    plain = re.sub(r"[.,](?=\d{3}(?:\D|$))", "", it["n"]).replace(",", ".")
    try:
        value = float(plain)
    except ValueError:
        return 0.0
    if it["man"]:
        value = value * 10_000 + (int(it["sen"][:-1]) * 1_000 if it["sen"] else 0)
    return value


def _by_days(news: _News, part: _Part) -> str:
    """Another day or time of the same thing."""
    if not news.labels & {"now", "moved", "end"} or part.who:
        return ""
    if not (news.heavy & part.heavy or _within(news.heavy, part.heavy)):
        return ""
    return _slot(news, part)


def _slot(news: _News, part: _Part) -> str:
    for pattern in (_DATE, _DAY, _TIME):
        olds = [*pattern.finditer(part.text)]
        said = {_bare(it[0]) for it in pattern.finditer(news.text)}
        if olds and said and not {_bare(it[0]) for it in olds} & said:
            words = part.text[olds[0].start() : olds[-1].end()].strip()
            return words if remains(part.text, [words]) else part.text
    return ""


def _bare(text: str) -> str:
    return re.sub(r"^(?:on the|on|am|den|for the|vom|the|at|um)\s", "", text.casefold()).strip(" .")


def _mended(news: _News, old: tuple[_Part, ...], older: str, *, is_near: bool) -> Iterator[str]:
    """What a correction says otherwise: of the day before at most, or of a thing both name."""
    for part in old:
        if not (is_near or news.heavy & part.heavy):
            continue
        if words := _slot(news, part):
            yield words
            return


def _chosen(found: list[tuple[_Part, str]], news: _News) -> list[tuple[_Part, str]]:
    """Of several clauses of one topic those that share a word with the news, else the first."""
    kept: list[tuple[_Part, str]] = []
    for part, words in found:
        topics = part.labels & _ONE
        rivals = [one for one, _words in found if one is not part and one.labels & topics]
        is_led = any(one.heavy & news.heavy or one.span < part.span for one in rivals)
        if is_led and not part.heavy & news.heavy:
            continue
        kept.append((part, words))
    return kept
