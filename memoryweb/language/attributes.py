"""Statements that give one attribute of one thing a value, so that a later value replaces it."""

import re
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import lru_cache

from memoryweb.language.attribute_patterns import CJK_PATTERNS, DATE, PATTERNS, Pattern
from memoryweb.language.dates import when_in
from memoryweb.language.normal_form import clean, is_cjk, normalise, read
from memoryweb.language.words import NO_PLACES

_NOT_A_KEY = re.compile(
    r"\b(?:said|says|wrote|asked|told|correction|update|note|reminder|remember|todo|actually"
    r"|warning|example|https?)$|さん$|说$|說$",
    re.IGNORECASE,
)
_BOLD = re.compile(r"^\*\*(?P<key>[^*\n]{1,60}?):?\*\*\s*[:：]?\s*(?P<value>\S.*)$")
_COLON = re.compile(r"^(?P<key>[^\W\d_][^:：.!?。！？\n]{0,39})[:：]\s+(?P<value>\S.*)$")
_SENTENCE = re.compile(r"\b(?:i|we|he|she|they|you|it)\b|[.!?。！？]\s", re.IGNORECASE)
_LONGEST_VALUE = 60

_PLEASE = re.compile(r"[,;.]? ?(?:so )?(?:please|can you|could you)\b.*|[，,。]请.*", re.IGNORECASE)
_DENIAL = re.compile(
    r",? (?:and )?(?:never|not|no longer)(?: (?:on|at|in))? [^,;.]+"
    r"|,? (?:instead of|rather than)(?: (?:on|at|in))? [^,;.]+"
    r"|[，,。、]?(?:而?不是|不再|再也不|不在)[^，,。]*"
    r"|[。、]?[^。、]*(?:では|じゃ)(?:ありません|ない|なく)[^。、]*",
    re.IGNORECASE,
)
_NOW = re.compile(r"[ ,]*\b(?:now|currently|from now on|these days|nowadays)\b", re.IGNORECASE)
_SINCE = re.compile(
    rf"[ ,]*\b(?:(?P<lasting>since|from|as of|starting)|(?P<week>in the week of)|around|in|on)"
    rf" (?P<date>{DATE})(?: on\b)?",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"[,;.:–—，、。；]|\s(?:so|because|since|as|and|but|which|who|where|while|with)\b",
    re.IGNORECASE,
)
_BOUNDARY = re.compile(
    r"\s*(?:[;。]|\.\s|,?\s(?:so|because|but|not|never|please|which|who|where|while|instead of"
    r"|rather than|and (?:he|she|they|it|we|i))\s)",
    re.IGNORECASE,
)
_CHANGE = re.compile(
    r"\b(?:now|no longer|moved|shifted|changed|switched|rescheduled|postponed|instead of"
    r"|any ?more|never|brought forward)\b|现在|現在|不再|改|搬|变|挪|今は|今後|変|引っ越|引越|移",
    re.IGNORECASE,
)
_GROUP = re.compile(
    r"['’]s?\b|\b(?:team|and others|the|our|my|their|his|her|we|i)\b"
    r"|他们|她们|他們|我们|我們|大家|团队|團隊|私たち|たち|チーム|们|我|私|さん",
    re.IGNORECASE,
)
_HABITS = frozenset({"meet", "start", "close", "open", "run"})
_INNER_CAPITAL = re.compile(r"[a-z][A-Z]")


@dataclass(frozen=True)
class Key:
    """Equal keys speak of the same attribute; `holder` is whose it is and `about` what the verb
    acts on. `rest` is what the statement says besides, `left` the value it names as past, `since`
    the date (ISO, perhaps without day or month) that it gives for the change."""

    subject: str
    attribute: str
    value: str = field(compare=False)
    kind: str = field(default="plain", compare=False)
    holder: str = field(default="", compare=False)
    about: str = field(default="", compare=False)
    rest: str = field(default="", compare=False)
    left: str = field(default="", compare=False)
    since: str = field(default="", compare=False)
    is_change: bool = field(default=False, compare=False)

    def is_of_same_thing(self, other: "Key") -> bool:
        if self != other or (self.about and other.about and self.about != other.about):
            return False
        if self.holder == other.holder:
            return True
        return not (self.holder and other.holder) and (self.is_change or other.is_change)

    def clashes(self, other: "Key") -> bool:
        """Another value of the same thing."""
        if not self.is_of_same_thing(other) or not (_left(self, other) and _left(other, self)):
            return False
        if self.kind != "when":
            is_same_script = is_cjk(self.value) == is_cjk(other.value)  # 横浜 is Yokohama
            return is_same_script and not _agree(self.value, other.value)
        one, two = when_in(self.value), when_in(other.value)
        if self.attribute in _HABITS and one.days != two.days:
            return False
        return one.clashes(two)

    def tells(self, other: "Key") -> bool:
        """The same value, and nothing of the other's value is missing here."""
        if not self.is_of_same_thing(other) or (other.about and self.about != other.about):
            return False
        if self.kind == "when":
            return when_in(self.value).tells(when_in(other.value))
        words = set(read(other.value).words)
        return normalise(self.value) == normalise(other.value) or (
            bool(words) and words <= set(read(self.value).words)
        )


@lru_cache(maxsize=16_384)
def key_of(text: str) -> Key | None:
    """None unless the statement clearly gives a single-valued attribute a value."""
    line = clean(text).rstrip(" .。!！")
    return _labelled(line) or _phrased(line)


def _labelled(line: str) -> Key | None:
    bold = _BOLD.match(line)
    if bold is not None:
        return Key("", normalise(bold["key"]), bold["value"])
    plain = _COLON.match(line)
    if plain is None or _NOT_A_KEY.search(plain["key"]) or _SENTENCE.search(plain["value"]):
        return None
    if len(plain["value"].split()) > 6 or len(plain["key"].split()) > 4:
        return None
    return Key("", normalise(plain["key"]), plain["value"])


def _phrased(line: str) -> Key | None:
    for pattern in (*CJK_PATTERNS, *PATTERNS) if is_cjk(line) else PATTERNS:
        found = pattern.found.match(line)
        key = _key(line, pattern, found.groupdict()) if found is not None else None
        if key is not None:
            return key
    return None


def _key(line: str, pattern: Pattern, found: dict[str, str | None]) -> Key | None:
    value, tail = found["value"] or "", found["tail"] or ""
    if pattern.kind == "plain":
        value, tail = _split(value, tail)
    told = _tail(tail)
    holder, subject = found.get("holder") or "", found["subject"] or ""
    if pattern.kind == "when" and is_cjk(line):
        holder, subject = (holder, subject) if pattern.attribute else (subject, "")
    if pattern.kind == "home" and not _is_place(value):
        return None
    is_event = pattern.kind == "when" and told.is_once
    if told.is_qualified or is_event or len(value) > _LONGEST_VALUE or read(value).negated:
        return None
    return Key(
        normalise(subject) if subject.strip() else "",
        normalise(pattern.attribute or found["attribute"] or ""),
        value.strip(),
        pattern.kind,
        holder=_holder(holder),
        about=normalise(found["about"]) if found.get("about") else "",
        rest=told.rest,
        left=found.get("left") or "",
        since=_iso(found.get("dated") or "") or told.since,
        is_change=bool(_CHANGE.search(line.removesuffix(told.rest))),
    )


@dataclass(frozen=True)
class _Told:
    rest: str
    since: str
    is_once: bool
    is_qualified: bool


def _tail(tail: str) -> _Told:
    """What comes after the value: denials of other values and requests add nothing; a condition
    ("in August") makes it another value for another case."""
    tail = _NOW.sub("", _DENIAL.sub("", _PLEASE.sub("", tail)))
    since = _SINCE.match(tail)
    if since is not None:
        tail = tail[since.end() :]
    tail = tail.rstrip(" .。!！,，")
    is_once = since is not None and not since["lasting"]
    is_qualified = bool(tail) and not _CLAUSE.match(tail)
    return _Told(tail, _last_day(since) if since else "", is_once, is_qualified)


def _last_day(since: re.Match[str]) -> str:
    """The date that is given, of a week its last."""
    given = _iso(since["date"])
    if not since["week"]:
        return given
    try:
        return str(date.fromisoformat(given) + timedelta(days=6))
    except ValueError:
        return given


def _split(value: str, tail: str) -> tuple[str, str]:
    value = _PLEASE.sub("", value)
    at = _BOUNDARY.search(value, 1)
    value, rest = (value[: at.start()], value[at.start() :]) if at else (value, "")
    rest = rest if not rest or _CLAUSE.match(rest) or _DENIAL.match(rest) else f",{rest}"
    return _NOW.sub("", value), rest + tail


def _holder(text: str) -> str:
    return normalise(bare) if (bare := _GROUP.sub("", text).strip()) else ""


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def _iso(text: str) -> str:
    parts = [f"{int(part):02}" for part in re.findall(r"\d+", text)]
    month = text[:3].lower()
    if month in _MONTHS:
        parts.insert(1, f"{_MONTHS.index(month) + 1:02}")
    return "-".join(parts)


def _is_place(value: str) -> bool:
    return not (_INNER_CAPITAL.search(value) or value.casefold() in NO_PLACES)


def _left(one: Key, two: Key) -> bool:
    """`one` names no past value, or the one that `two` has."""
    if not one.left:
        return True
    if one.kind == "when":
        return not when_in(one.left).clashes(when_in(two.value))
    return _agree(one.left, two.value)


def _agree(one: str, two: str) -> bool:
    """Two values of one key that differ only in how much they tell."""
    first, second = set(read(one).words), set(read(two).words)
    if normalise(one) == normalise(two):
        return True
    return bool(first and second) and (first <= second or second <= first)
