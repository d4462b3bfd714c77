"""Relative Chinese and Japanese dates made absolute, counted from the UTC date of the message."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta

_DIGITS = {char: number for number, char in enumerate("零一二三四五六七八九十")} | {
    "两": 2,
    "兩": 2,
}
_ZH_DAYS = {char: number for number, char in enumerate("一二三四五六")} | {"日": 6, "天": 6}
_JA_DAYS = {char: number for number, char in enumerate("月火水木金土日")}
_NUMBER = r"(?P<count>\d{1,3}|[一二两三四五六七八九十]{1,3})"
_Say = Callable[[re.Match[str], date, bool], str]


@dataclass(frozen=True)
class Dated:
    text: str
    found: bool


def resolve_chinese(text: str, at: datetime, *, future: bool | None = None) -> Dated:
    """`future` says which way a bare weekday looks; without it, its clause does."""
    return _resolve(text, at, future, _CHINESE, _zh_ahead)


def resolve_japanese(text: str, at: datetime, *, future: bool | None = None) -> Dated:
    return _resolve(text, at, future, _JAPANESE, _ja_ahead)


def _resolve(
    text: str,
    at: datetime,
    future: bool | None,
    rules: tuple[tuple[re.Pattern[str], _Say], ...],
    looks_ahead: Callable[[str, int], bool],
) -> Dated:
    today = at.date()
    habitual = bool(_HABIT.search(text))
    for pattern, say in rules:
        if habitual and "?P<which>)" in pattern.pattern:  # a bare weekday beside "every"
            continue

        def put(match: re.Match[str], say: _Say = say) -> str:
            ahead = looks_ahead(match.string, match.end()) if future is None else future
            try:
                return say(match, today, ahead)
            except (ValueError, OverflowError):  # outside the calendar
                return match.group(0)

        text = pattern.sub(put, text)
    return Dated(text, bool(re.search(r"(?:19|20)\d\d(?:-\d\d|年)|\d月", text)))


_HABIT = re.compile(
    r"[每毎]|总是|通常|一般|平时|经常|从不|いつも|普段|たいてい|通常|必ず|よく(?=.曜)|決して"
)
_ZH_BACK = re.compile(r"(?<!要)(?<!快)了(?!解)|(?<!通)过(?!敏|年)|刚[才刚]?|已经|曾经|以前")
_ZH_AHEAD = re.compile(r"就要|快要|将|打算|计划|准备|要去|想|会在|定在|改到|推迟到")
_JA_BACK = re.compile(
    r"(?:ました|ませんでした|でした|だった|った|んだ|[いえきしちにびみりれけせて]た)"
    r"(?=[。、！!]|$|が|けど|ので|から|とき|時)"
)
_JA_END = re.compile(r"(?:が|けど|ので|から|て|で|し)、")


def _zh_ahead(text: str, end: int) -> bool:
    """The clause after a date says which way; a date alone belongs to the whole sentence."""
    start = max(text.rfind(mark, 0, end) for mark in "，,；;。") + 1
    stop = re.search(r"[，,；;。]", text[end:])
    clause = text[start : end + stop.start()] if stop else text[start:]
    if len(clause) <= end - start + 1:
        clause = text
    return bool(_ZH_AHEAD.search(clause)) or not _ZH_BACK.search(clause)


def _ja_ahead(text: str, end: int) -> bool:
    """The verb stands at the end of the clause."""
    stop = _JA_END.search(text, end)
    clause = text[end : stop.end()] if stop else text[end:]
    return not _JA_BACK.search(clause)


def _shift(days: int) -> _Say:
    return lambda match, today, future: str(today + timedelta(days=days))


def _weekday(days: dict[str, int], steps: dict[str, int]) -> _Say:
    def say(match: re.Match[str], today: date, future: bool) -> str:
        wanted = days[match["day"]]
        which = match["which"]
        if which:
            monday = today - timedelta(days=today.weekday())
            return str(monday + timedelta(weeks=steps[which], days=wanted))
        if future:
            return str(today + timedelta(days=(wanted - today.weekday()) % 7 or 7))
        return str(today - timedelta(days=(today.weekday() - wanted) % 7 or 7))

    return say


def _week(steps: dict[str, int], suffix: str) -> _Say:
    def say(match: re.Match[str], today: date, future: bool) -> str:
        monday = today - timedelta(days=today.weekday()) + timedelta(weeks=steps[match["which"]])
        return f"{monday}{suffix}"

    return say


def _weekend(steps: dict[str, int], suffix: str) -> _Say:
    def say(match: re.Match[str], today: date, future: bool) -> str:
        monday = today - timedelta(days=today.weekday()) + timedelta(weeks=steps[match["which"]])
        return f"{monday + timedelta(days=5)}{suffix}"

    return say


def _month(steps: dict[str, int]) -> _Say:
    def say(match: re.Match[str], today: date, future: bool) -> str:
        index = today.year * 12 + today.month - 1 + steps[match["which"]]
        return f"{index // 12}年{index % 12 + 1}月"

    return say


def _year(steps: dict[str, int]) -> _Say:
    return lambda match, today, future: f"{today.year + steps[match['which']]}年"


def _count(match: re.Match[str], today: date, future: bool) -> str:
    count = _number(match["count"]) * (1 if match["way"] in "后後" else -1)
    unit = match["unit"]
    if unit in {"天", "日"}:
        return str(today + timedelta(days=count))
    if unit in {"周", "星期", "礼拜", "个星期", "个礼拜", "週間"}:
        then = today + timedelta(weeks=count)
        tail = "の週" if unit == "週間" else "那一周"
        return f"{then - timedelta(days=then.weekday())}{tail}"
    if "月" in unit:
        index = today.year * 12 + today.month - 1 + count
        return f"{index // 12}年{index % 12 + 1}月"
    return f"{today.year + count}年"


def _month_day(match: re.Match[str], today: date, future: bool) -> str:
    return str(date(int(match["year"]), _number(match["month"]), _number(match["dom"])))


def _number(word: str) -> int:
    if word.isdigit():
        return int(word)
    if "十" in word:
        tens, _, ones = word.partition("十")
        return (_DIGITS[tens] if tens else 1) * 10 + (_DIGITS[ones] if ones else 0)
    return _DIGITS[word]


def _rule(pattern: str, say: _Say) -> tuple[re.Pattern[str], _Say]:
    return re.compile(pattern), say


_ZH_STEPS = {"上上": -2, "上": -1, "这": 0, "本": 0, "下": 1, "下下": 2}
_ZH_WHICH = r"(?P<which>上上|下下|上|下|这|本)"
_ZH_WEEK = r"(?:个)?(?:周|星期|礼拜)"
_ZH_YEARS = {"前年": -2, "去年": -1, "今年": 0, "明年": 1, "后年": 2}
_NUMBER_OF_DAY = r"(?P<dom>\d{1,2}|[一二三四五六七八九十]{1,3})"
_CHINESE = (
    _rule(
        rf"(?P<year>(?:19|20)\d\d)年(?P<month>\d{{1,2}}"
        rf"|[一二三四五六七八九十]{{1,2}})月{_NUMBER_OF_DAY}[日号](?!线)",
        _month_day,
    ),
    _rule(r"大前天", _shift(-3)),
    _rule(r"前天", _shift(-2)),
    _rule(r"昨天(?:早上|上午|下午|晚上)?|昨晚|昨日", _shift(-1)),
    _rule(r"今天(?:早上|上午|下午|晚上)?|今晚|今早|今日", _shift(0)),
    _rule(r"大后天", _shift(3)),
    _rule(r"明天|明晚|明早|明日", _shift(1)),
    _rule(r"后天", _shift(2)),
    _rule(rf"{_NUMBER}(?P<unit>天|周|个?星期|个?礼拜|个月|年)(?:之|以)?(?P<way>前|后)", _count),
    _rule(rf"{_ZH_WHICH}{_ZH_WEEK}末|(?P<bare>本周末)", _weekend(_ZH_STEPS, "的周末")),
    _rule(
        rf"(?<![每个\d]){_ZH_WHICH}{_ZH_WEEK}(?P<day>[一二三四五六日天])(?!起)",
        _weekday(_ZH_DAYS, _ZH_STEPS),
    ),
    _rule(
        r"(?<![每个\d一二三四五六七八九十两几])(?P<which>)(?:周|星期"
        r"|礼拜)(?P<day>[一二三四五六日天])(?![到至、和从都不])",
        _weekday(_ZH_DAYS, _ZH_STEPS),
    ),
    _rule(rf"{_ZH_WHICH}{_ZH_WEEK}(?!期)", _week(_ZH_STEPS, "那一周")),
    _rule(rf"{_ZH_WHICH}个?月(?!\d)", _month(_ZH_STEPS)),
    _rule(r"(?P<which>前年|去年|今年|明年|后年)", _year(_ZH_YEARS)),
)

_JA_STEPS = {"先々": -2, "先": -1, "今": 0, "来": 1, "再来": 2}
_JA_WHICH = r"(?P<which>先々|再来|先|今|来)"
_JA_YEARS = {
    "一昨年": -2,
    "おととし": -2,
    "去年": -1,
    "昨年": -1,
    "今年": 0,
    "来年": 1,
    "再来年": 2,
}
_JAPANESE = (
    _rule(
        r"(?P<year>(?:19|20)\d\d)年の?(?P<month>\d{1,2}|[一二三四五六七八九十]{1,2})月"
        rf"{_NUMBER_OF_DAY}日",
        _month_day,
    ),
    _rule(r"一昨日|おととい", _shift(-2)),
    _rule(r"昨日の?(?:朝|夜|晩|午後|午前)?|きのう|昨夜|昨晩", _shift(-1)),
    _rule(r"明後日|あさって", _shift(2)),
    _rule(r"明日の?(?:朝|夜|晩|午後|午前)?|あした", _shift(1)),
    _rule(r"(?:今日|本日|きょう)の?(?:朝|夜|晩|午後|午前)?|今朝|今夜|今晩", _shift(0)),
    _rule(rf"{_NUMBER}(?P<unit>日|週間|[ヶか箇カ]月|年)(?P<way>前|後)", _count),
    _rule(rf"{_JA_WHICH}週末", _weekend(_JA_STEPS, "の週末")),
    _rule(rf"{_JA_WHICH}週の?(?P<day>[月火水木金土日])曜日?", _weekday(_JA_DAYS, _JA_STEPS)),
    _rule(
        r"(?<![毎週の])(?P<which>)(?P<day>[月火水木金土日])曜日?(?![とか・])",
        _weekday(_JA_DAYS, _JA_STEPS),
    ),
    _rule(rf"{_JA_WHICH}週(?!間|\d)", _week(_JA_STEPS, "の週")),
    _rule(rf"(?<!\d){_JA_WHICH}月(?!\d)", _month(_JA_STEPS)),
    _rule(r"(?P<which>一昨年|おととし|再来年|去年|昨年|今年|来年)", _year(_JA_YEARS)),
)
