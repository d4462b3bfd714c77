"""Which words of an older sentence a newer one of the same speaker ends: a clause of which the
newer one tells that it changed or is over, or the words of one slot of it. Pure.

What only looks like a change (a second child, a friend's move, a visit, a wish, a question) ends
nothing."""

import re
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from functools import lru_cache

from memoryweb.language.clauses import are_of_two
from memoryweb.language.ending_parts import parts_of, remains
from memoryweb.language.ending_slots import amounts, reached_at, slot, tells_value
from memoryweb.language.ending_told import ONE, News, Part, asks, news_in, parts_in
from memoryweb.language.ending_words import heavy_in, labels_in, listed
from memoryweb.language.extraction_rules import dates_in, resolved
from memoryweb.language.extraction_rules.relative_dates import span_of
from memoryweb.language.normal_form import is_cjk

__all__ = ["ended_in", "on_day", "parts_of", "remains", "tells_change"]

_PLACES = listed("home job study")
_BOUGHT = listed("car handset laptop")
_ANIMALS = listed("dog cat bird hens horse pet")
_FOODS = listed("dietstyle meat fish dairy gluten egg nuts alcohol coffee sugar smoke")
_MONEY = listed("rent pay budget fee")
_PLANS = listed("wedding trip")
_PEOPLE = listed("partner boss doctor helper")
_LIFE = (
    ONE | _ANIMALS | _FOODS | _MONEY | _PLANS | _PEOPLE | listed("level weight pregnant cast ill")
)
_SURE = listed(
    "jobless leave home job study partner single engaged boss name car pregnant ill smoke"
)
_IS_HOME = re.compile(
    r"\b(?:i|i'm|im|we|we're|ich|wir)\b|^(?:in|at|an?|the|our|my|based|currently|living|live"
    r"|flat|zur"
    r"|im|unsere?|meine?|wohn\w*|leb\w*|haus)\b|[一-鿿ぁ-ん]",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"\b(?:in|im|for|für|über|about|of) (?:the |my |der |dem |den )?(\w+)", re.IGNORECASE
)
_DOES_TO = re.compile(
    r"(\w+) (?:has |have |hat |had )?(?:took|put|taken|switched|moved|gave|told|got) (?:me"
    r"|us|mich|mir)\b"
)
_DOES = re.compile(r"([^\s、。]{1,6})[がは][^、。]+を")
_FINISHED = re.compile(
    r"\b(?:finished|completed|passed|graduated from|done with)"
    r" ((?:(?!in |for |of |about )[\w'-]+ ?){1,4})",
    re.IGNORECASE,
)
_CALLED = re.compile(
    r"\b(?:is|it's|ist|heißt|with|bei|under|unter|called|to|leitet)"
    r" (?:now |jetzt |a guy called |called )*[A-ZÄÖÜ]"
)
_FROM = re.compile(
    r"\b(?:from|von|vom|away from) (?:the |der |dem )?(\w+)|([^\sがはを、]{2,8})から"
)
_USE = re.compile(
    r"\b(?:please )?(?:use|write to|nimm|nehmt|schreib)\b|お願い|送って", re.IGNORECASE
)
_REACH = re.compile(r"\d|@")
_SHORT = 24  # characters of "visa came through"
_TO_NAME = re.compile(r"\b(?:in|on|with|at|to) [A-Z]\w|[ァ-ヶーA-Za-z]{3,}[にへ]")
_RANGE = re.compile(
    r"\b\d{1,2}(?::\d\d)? ?(?:to|till|until|bis|-|–) ?\d{1,2}(?::\d\d)?\b(?![-.\d])"
)
_YOUNG = 60  # days within which "first day done" is of the job that was just told of
_STARTS = (
    r"\b(?:start\w*|join\w*|begin\w*|first day|from (?:monday|the \d)|ab dem|ab \d|wechs\w+"
    r"|zieh\w*"
    r"|fang\w*|angefangen|erster tag|moved|moving|umgezogen|gezogen)\b|新居|入社"
    r"|引っ越し(?:ました|た)"
)
_BEGINS = re.compile(_STARTS, re.IGNORECASE)
_BEGINNING = re.compile(rf"{_STARTS}|\b(?:new|neue\w*|now|jetzt)\b|から|新しい|今は", re.IGNORECASE)
_NAME = re.compile(r"(?<=[\w,] )[A-ZÄÖÜ]\w+|[一-鿿ァ-ヶ]{2,}")
_NO_CAR = re.compile(r"\b(?:kein\w*|nicht|no|not|don't|without|ohne)\b|ない|ません", re.IGNORECASE)
_LEFT = re.compile(
    r"(?:notice at|resigned from|quit|left|retired from|leaving|let go (?:from"
    r"|by)) (?P<en>[A-Z][\w& ]+)"
    r"|\b(?:bei (?:der |dem |den )?)?(?P<de>[A-ZÄÖÜ][\w ]+?)(?= gekündigt| aufgehört| raus)"
    r"|(?P<by>[A-Z][\w& ]+?) (?:let me go|fired me|sacked me|laid me off|made me redundant)"
    r"|(?P<ja>[^、。\s]{1,10}?)(?:は|を)[^、。]*(?:辞め|退職|やめ)"
)
_VALUE_IS = re.compile(r"(?:\b(?:is|are|at|auf|kostet|costs|beträgt)|'s(?: at)?|[はが]) ?[£$€]?\d")
_VALUE = re.compile("[ァ-ヶー]{3,}|[A-Za-z]{3,}")
_TOPIC = re.compile("([^はがを、\\s]{2,8})(?:は|を|が)")
_FRAME = re.compile(
    r"\b(in|on|with|at|for|to|mit|auf|bei|als|per|über|is|are|ist|heißt)m? (?:(?:an?|the"
    r"|my|our|der|die|das|dem"
    r"|den|ein\w*|mein\w*|unser\w*) )?([A-ZÄÖÜ][\w&.-]+(?: [A-ZÄÖÜ][\w&.-]+)*)"
)
_DAY = re.compile(
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch",
    re.IGNORECASE,
)
_BEGINNER = re.compile(r"beginner|anfänger|初級|中級", re.IGNORECASE)
_TITLES = listed("Frau Herr Mr Mrs Ms Mx Miss Dr")
_I_AM = re.compile(r"\b(?:bin ich|ich bin|i'm|heiß\w* ich|ich heiße) ", re.IGNORECASE)
_COMMON = listed("now end off moved gone done new got more unsure past once told")
_FULL_NAME = re.compile(r"\b([A-ZÄÖÜ][a-zäöüß]+) ([A-ZÄÖÜ][a-zäöüß]+)\b")
_MARKS = {"0": re.compile(r"\d|@"), "Name": _FULL_NAME}
_TRADE = re.compile(
    r"\s(?P<en>(?:at|for|with|in|bei|beim|im|in der|am)\s(?:the\s|der\s"
    r"|den\s)?[A-ZÄÖÜ].*?)(?: und .*)?$"
    r"|(?P<ja>^[^はが]{2,14}?(?:で|の))(?=[^で]*(?:やって|働|勤め|看護|教師|エンジニア|営業"
    r"|として|して))"
)
_NEW_TRADE = re.compile(
    r"\b(?:as an? |as the |i'm an? |als |bin (?:jetzt )?\w+(?:in|er)\b)|として|になり"
    r"|answering|driving|teaching|self.employed|freelance|retired|rente|独立|フリーランス|定年",
    re.IGNORECASE,
)


def ended_in(
    newer: str, older: str, said: date | None = None, older_said: date | None = None
) -> tuple[str, ...]:
    """The words of the older sentence, letter for letter, that the later one ends."""
    if said and older_said and said < older_said:
        return ()
    news = news_in(newer)
    is_fix = any("fix" in labels for _part, labels in news.parts)
    if not news.parts or asks(older):
        return ()
    old = parts_in(older)
    is_near = bool(said and older_said and (said - older_said).days <= 1)
    if is_fix and (mended := _mended(news, old, is_near=is_near)):
        return (mended,)
    around = frozenset().union(*(part.heavy for part in old))
    is_young = not (said and older_said) or (said - older_said).days < _YOUNG
    keys = frozenset().union(*map(_keys, parts_in(newer)))
    near = (part for part in old if not keys.isdisjoint(_keys(part)))
    found = [(part, ended) for part in near if (ended := _ended(news, part, around, is_young))]
    return tuple(_chosen(found, news))


@lru_cache(maxsize=16_384)
def _keys(part: Part) -> frozenset[str]:
    """Of these two clauses have one in common where one ends the other: most have none, and needn't
    be compared."""
    labels = {label.rstrip("?!") for label in part.labels}
    made = {f"#{label}" for label in labels - _COMMON}
    made |= {"#job"} if "rise" in labels else set()
    made |= {"#open"} if labels & {"open", "done"} else set()
    for word in part.heavy:
        made |= {*word} if is_cjk(word) else {word[:5], f"~{word[-5:]}"}
    return frozenset(made | {mark for mark, one in _MARKS.items() if one.search(part.text)})


def tells_change(text: str) -> bool:
    """It says by itself that something of the speaker's own life changed or is over."""
    news = news_in(text)
    if any(f"{topic}!" in news.labels for topic in _SURE):
        return True
    cues = {"now", "end", "off", "died", "moved", "done", "rise", "food!"}
    if news.labels & _LIFE and news.labels & cues:
        return True
    return any(_is_told(part, labels) for part, labels in news.parts if part.who != "kin")


def _is_told(part: Part, labels: frozenset[str]) -> bool:
    if "fix" in labels and tells_value(part.text):
        return True
    if not part.heavy or ("once" in labels and "now" not in labels):
        return False
    is_now = bool(labels & {"now", "moved", "new"})
    return bool(
        labels & {"off", "died"}
        or ("end" in labels and not part.who)
        or ("gone" in labels and part.who)
        or (is_now and tells_value(part.text))
        or (labels & {"now", "moved"} and _TO_NAME.search(part.text))
        or ("done" in part.labels and len(part.text) < _SHORT)
    )


def on_day(newer: str, said: date | None) -> date | None:
    """Since when it is so: a day that the newer sentence names for it, or that it was said."""
    if said is None:
        return None
    ahead = span_of(resolved(newer, said, ahead=True), said)
    if ahead.start and (ahead.start - said).days < 366:
        return ahead.start
    behind = resolved(newer, said, ahead=False)
    days = [*dates_in(behind, said), *dates_in(behind, said - timedelta(days=91))]
    near = [day for day in days if 0 <= (said - day).days <= 366]
    return near[-1] if near else said


def _ended(news: News, part: Part, around: frozenset[str], is_young: bool) -> str:
    """The words of the clause that the news end, if any."""
    if "past" in part.labels:
        return ""
    return (
        _by_reach(news, part)
        or _by_value(news, part)
        or _by_name(news, part)
        or ("" if is_young and _BEGINNING.search(part.text) else _by_topic(news, part))
        or _by_state(news, part, around)
        or _by_frame(news, part)
    )


def _by_reach(news: News, part: Part) -> str:
    """Another address or number to reach somebody at, with a word that it is so now."""
    if not news.labels & {"now", "new", "end", "moved"} and not _USE.search(news.text):
        return ""
    if "fax" in part.labels & news.labels and "end" in news.labels:
        return part.text
    return reached_at(part.text, news.text)


def shared_in(one: Part, other: Part) -> frozenset[str]:
    """Heavy words of both; of signs, runs of which one holds the other."""
    pairs = ((a, b) for a in one.heavy for b in other.heavy)
    return frozenset(b for a, b in pairs if a == b or _is_within(a, b))


@lru_cache(maxsize=65_536)
def _is_within(one: str, other: str) -> bool:
    """ "Training" and "Fußballtraining", "therapy" and "therapist", 佐々木 and 佐々木部長."""
    short, long = sorted((one, other), key=len)
    if is_cjk(short):
        return short in long if len(short) > 1 else long.endswith(short)
    head = long[: max(6, round(0.7 * len(long)))]
    if len(short) > 6 and long.startswith(short):
        return True
    return len(short) > 4 and (long.endswith(short) or short.startswith(head))


def _by_name(news: News, part: Part) -> str:
    """It says of something that both name that it is over."""
    for one, its in news.parts:
        shared, labels = shared_in(one, part), its
        kinds = one.labels & part.labels
        if not shared and not (not one.who and kinds & (_ANIMALS | _PLANS)):
            continue
        if {"friend"} & (part.labels | one.labels) or not _is_same(one, part, shared):
            continue
        if "died" in one.labels and part.labels & (_ANIMALS | {"kin", "partner"}):
            return _of_those(part, shared, one.labels)
        if ("off" in one.labels and shared) or ("off" in news.labels and kinds & _PLANS):
            return _of_those(part, shared, one.labels)
        if shared and _is_over(one, part, labels, shared, news.text):
            return (
                _employer(news, part)
                if "job" in part.labels
                else _of_those(part, shared, one.labels)
            )
    return ""


def _is_same(one: Part, part: Part, shared: frozenset[str]) -> bool:
    """Both are of one person: the speaker, or somebody whom the older clause names too."""
    return not are_of_two(one.text, part.text) and (
        one.who == part.who
        or one.who == "they"
        or any(it in part.text.casefold() for it in {one.who} if it)
        or (not one.who and bool(shared))
    )


def _is_object(one: Part, part: Part, shared: frozenset[str]) -> bool:
    """What ends is that itself, not something in or about it ("an essay in law"), nor what
    somebody no longer does ("Kate quit sugar")."""
    found = [word for it in (_ABOUT, _DOES_TO, _DOES) for word in it.findall(one.text)]
    if part.labels & (_PEOPLE | _ANIMALS | {"kin"}):
        found.append(one.who)
    about = {word for it in found for word in heavy_in(it)}
    return not shared - {word for word in shared if "kin" in labels_in(word)} <= about


def _is_over(
    one: Part, part: Part, labels: frozenset[str], shared: frozenset[str], text: str
) -> bool:
    of, told = part.labels, one.labels
    if "end" in told and (("job" in of and not one.who) or _is_object(one, part, shared)):
        return True
    if "ill!" in told and not one.who:
        return True
    if of & _ANIMALS:
        return "now" in labels and bool(labels & {"home", "home?"})  # it lives elsewhere now
    if of & (_PEOPLE | {"job", "kin"}) and told & {"gone", "died"}:
        return True
    if of & {"boss", "doctor", "helper"} and "now" in labels and _CALLED.search(text):
        return True
    left = " ".join(word for pair in _FROM.findall(one.text) for word in pair)
    if labels & {"now", "moved"} and heavy_in(left) & part.heavy:
        return True
    return (
        ("partner" in of and "partner!" in labels)
        or ("study" in of and _is_finished(one, part, shared))
        or bool(of & {"open", "ill"} and labels & {"done", "ill!", "got", "end"})
    )


def _is_finished(one: Part, part: Part, shared: frozenset[str]) -> bool:
    """A course that is over or was left, not a paper in it."""
    if finished := _FINISHED.search(one.text):
        return bool(heavy_in(finished[1]) & shared)
    is_done = "gone" in one.labels or {"study", "done"} <= one.labels
    return is_done and _is_object(one, part, shared)


def _of_those(part: Part, shared: Iterable[str], labels: frozenset[str]) -> str:
    """Of "the parrot Pip and the dog Rex" the one that is meant."""
    cuts = [*re.finditer(r"\s(?:and|und|&)\s|と(?=[^言思い])", part.text)]
    edges = [0, *(at for cut in cuts for at in cut.span()), len(part.text)]
    words = [part.text[a:b] for a, b in zip(edges[::2], edges[1::2], strict=True)]
    meant = [it for it in words if heavy_in(it) & {*shared} or labels_in(it) & labels & _ANIMALS]
    rest = [it for it in words if it not in meant]
    others = [it for it in rest if labels_in(it) & _ANIMALS or it.istitle()]
    if len(meant) != 1 or not others:
        return part.text
    bare = re.sub(r"^.*?は(?=.)", "", meant[0]) if is_cjk(meant[0]) else meant[0]
    return re.sub(r"(?:が|も)(?:いて|います|いる).*$", "", bare)


def _by_topic(news: News, part: Part) -> str:
    """Of what both speak of there is one at a time, or an event ended it."""
    if part.who or "friend" in part.labels:
        return ""
    if "rise" in news.labels and "job" in part.labels:
        at = _TRADE.search(part.text)
        return part.text[: at.start("en")].rstrip() if at and at["en"] else part.text
    for topic in sorted({label.rstrip("?") for label in part.labels if "!" not in label}):
        if _changes(news, topic, part):
            return _employer(news, part) if topic == "job" else part.text
    return ""


def _changes(news: News, topic: str, part: Part) -> bool:
    labels = news.labels
    if _is_elsewhere(news, topic, part):
        return False
    if topic in _SURE and f"{topic}!" in labels:
        return True
    if topic in _FOODS:
        cues = {"food!", "end", *({"now"} if topic == "dietstyle" else ())}
        return topic in labels and bool(labels & cues)
    if topic in {"cast", "glasses"}:
        return topic in labels and bool(labels & {f"{topic}!", "end"})
    if topic not in ONE or not news.heavy - part.heavy:
        return False
    return any(_is_other_one(one, its, topic, part) for one, its in news.parts if not one.who)


def _is_elsewhere(news: News, topic: str, part: Part) -> bool:
    """It is of another one of the topic, or the clause tells nothing of one."""
    if topic == "job" and (left := _LEFT.search(news.text)):
        named = heavy_in(left[left.lastgroup or 0])
        return bool(named) and not named & part.heavy
    if topic in {"home", "job"} and "visit" in news.labels:
        return True
    names = {word for name in _NAME.findall(part.text) for word in heavy_in(name)}
    if topic in _PLACES and names & news.heavy and _BEGINS.search(news.text):
        return True
    tells = {"phone": _REACH, "email": _REACH, "home": _IS_HOME}.get(topic)
    return bool(tells and not tells.search(part.text)) or bool(
        topic == "car" and _NO_CAR.search(part.text)
    )


def _is_other_one(one: Part, labels: frozenset[str], topic: str, part: Part) -> bool:
    """The clause tells of another one of the topic with a word that it is so now."""
    if topic == "home" and {"home", "got"} <= one.labels:
        return True
    if (f"{topic}?" if topic in {"home", "job"} else topic) not in one.labels:
        return False
    cues = {"now", "end", "moved", *({"got"} if topic in _BOUGHT else ())}
    if topic in {"boss", "doctor"}:
        names = _CALLED.search(one.text) or is_cjk(one.text)
        labels, cues = one.labels, cues - {"end"}
        if not names:
            return False
    return bool(labels & cues) or ("new" in one.labels and _is_new(one.text, topic))


def _is_new(text: str, topic: str) -> bool:
    """ "The new flat", "neue Chefin": the word after says of what."""
    found = re.findall(r"\b(?:new|neue?[nrs]?) (\S+(?: \S+)?)|新しい(\S{1,6})", text, re.IGNORECASE)
    return any(topic in labels_in(word) for pair in found for word in pair if word)


def _employer(news: News, part: Part) -> str:
    """Who leaves a place of work may keep the trade."""
    at = _TRADE.search(part.text)
    return at[at.lastgroup or 0] if at and not _NEW_TRADE.search(news.text) else part.text


def _by_frame(news: News, part: Part) -> str:
    """Another name in the same place of a sentence on the same thing: "write in Word", "do my
    writing in Scrivener now"; in Japanese another thing said of what は marks."""
    if part.labels & (_ANIMALS | {"kin", "friend", "partner"}):
        return ""
    for one, _labels in news.parts:
        if one.who or "kin" in one.labels or not one.labels & {"now", "moved"}:
            continue
        shared = shared_in(one, part)
        values = [{*_VALUE.findall(it.text)} for it in (one, part)]
        if shared - values[1] and all(values) and not values[0] & values[1] and is_cjk(one.text):
            return part.text
        topics = _TOPIC.match(one.text), _TOPIC.match(part.text)
        if topics[0] and topics[1] and topics[0][1] == topics[1][1] and "さん" not in topics[0][1]:
            return part.text
        old = dict(_FRAME.findall(part.text))
        for prep, value in _FRAME.findall(one.text):
            is_to = prep in {"to", "auf", "über"} and old
            other = [*old.values()][-1] if is_to else old.get(prep, value)
            if not heavy_in(other) or heavy_in(other) & news.heavy or _DAY.match(value):
                continue
            if shared - heavy_in(other):
                return part.text
    return ""


def _by_state(news: News, part: Part, around: frozenset[str]) -> str:
    """What was open is done, a level is reached, a surname taken."""
    labels = news.labels
    if "open" in part.labels and "done" in labels and news.heavy & around:
        return part.text
    told = _RANGE.search(part.text), _RANGE.search(news.text)
    if told[0] and told[1] and told[0][0] != told[1][0] and labels & {"now", "moved"}:
        return part.text
    if "level" in part.labels & labels and labels & {"done", "now", "moved", "got"}:
        return slot(part.text, news.text) or (part.text if _BEGINNER.search(part.text) else "")
    if "name!" in labels and "name" in part.labels:
        return part.text
    if labels & {"now", "name!"}:
        there = {_named(first): last for first, last in _FULL_NAME.findall(news.text)}
        for first, last in _FULL_NAME.findall(part.text):
            first = _named(first)
            if not first and not _I_AM.search(news.text):
                continue
            if there.get(first, last) != last:
                return str(last)
    return ""


def _named(first: str) -> str:
    """The same for every title: "Mrs Dunne" may be "Ms Farrell"."""
    return "" if first in _TITLES else first


def _by_value(news: News, part: Part) -> str:
    """Another amount, day or time of the same thing."""
    for one, labels in news.parts:
        is_told = labels & {"now", "moved", "done", "end"} or _VALUE_IS.search(one.text)
        if not is_told or ("once" in labels and not labels & {"now", "moved"}):
            continue
        shared = shared_in(one, part)
        if not _is_same(one, part, shared):
            continue
        words = slot(part.text, news.text) if shared else ""
        is_money = bool(part.labels & news.labels & _MONEY)
        words = words or _other(part, news, is_of_one=bool(shared) or is_money)
        if words:
            is_whole = re.search(rf"(?<![\w-]){re.escape(words)}(?![\w-])", part.text)
            is_part = bool(shared and is_whole) and remains(part.text, [words])
            return words if is_part else part.text
    return ""


def _other(part: Part, news: News, *, is_of_one: bool) -> str:
    """The amount of a thing that both name, or of weight, of which there is one, where the news
    give another."""
    pairs = ((a, b) for a in amounts(part.text) for b in amounts(news.text))
    found = (
        a[2]
        for a, b in pairs
        if ((is_of_one and b[0] in {a[0], ""}) or a[0] == b[0] == "kg")
        and a[1] != b[1]
        and 0.3 < b[1] / a[1] < 3.4
    )
    return next(found, "")


def _mended(news: News, old: tuple[Part, ...], *, is_near: bool) -> str:
    """What a correction says otherwise: of the day before at most, or of a thing both name."""
    for part in old:
        words = slot(part.text, news.text, is_mended=True)
        if words and (is_near or news.heavy & part.heavy):
            return words
    return ""


def _chosen(found: list[tuple[Part, str]], news: News) -> Iterator[str]:
    """Of several clauses of one topic those that share a word with the news, else the first."""
    for part, words in found:
        topics = part.labels & (ONE | _MONEY)
        rivals = [one for one, _words in found if one is not part and one.labels & topics]
        is_led = any(one.heavy & news.heavy or one.span < part.span for one in rivals)
        if not is_led or part.heavy & news.heavy:
            yield words
