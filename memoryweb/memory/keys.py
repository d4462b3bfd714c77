"""Statements that give one attribute of one thing a value, so that a later value replaces it."""

import re
from dataclasses import dataclass, field
from functools import lru_cache

from memoryweb.memory.wording import clean, normalise

_ONE_VALUE = (
    r"name|full name|nickname|surname|birthday|e-?mail|email address|phone|phone number|address"
    r"|age|job|job title|title|employer|role|manager|boss|husband|wife|spouse|partner|hometown"
    r"|home town|time ?zone|deadline|due date|start date|end date|budget|status|version|price"
    r"|owner|lead|language|location|office|colou?r|release day|shipping day|launch date"
    r"|wi-?fi|invoice address|salary|pronouns|nationality|religion|diet"
)
_WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_WHEN = rf"(?:{_WEEKDAY}|\d{{1,2}}:\d\d|\d{{1,2}} ?[ap]m|noon|midnight)"
_SUBJECT = r"(?P<subject>[^\W\d_][\w.-]*(?: [^\W\d_][\w.-]*){0,3})"
_NOT_A_KEY = re.compile(
    r"\b(?:said|says|wrote|asked|told|correction|update|note|reminder|remember|todo|actually"
    r"|warning|example|https?)$|さん$|说$|說$",
    re.IGNORECASE,
)
_BOLD = re.compile(r"^\*\*(?P<key>[^*\n]{1,60}?):?\*\*\s*[:：]?\s*(?P<value>\S.*)$")
_COLON = re.compile(r"^(?P<key>[^\W\d_][^:：.!?。！？\n]{0,39})[:：]\s+(?P<value>\S.*)$")
_SENTENCE = re.compile(r"\b(?:i|we|he|she|they|you|it)\b|[.!?。！？]\s", re.IGNORECASE)

_PATTERNS: tuple[tuple[str, str], ...] = (
    (rf"^{_SUBJECT}(?:'s|’s|s') (?P<attribute>(?:favou?rite|preferred|default|main|current)"
     r" [\w ]{2,30}?) (?:is|are) (?:now )?(?P<value>.+)$", ""),
    (rf"^{_SUBJECT}(?:'s|’s|s') (?P<attribute>(?:\w+ )?(?:{_ONE_VALUE})) (?:is|are)"
     r" (?:now )?(?P<value>.+)$", ""),
    (rf"^(?:the|our|my) (?P<subject>)(?P<attribute>(?:[\w-]+ ){{0,3}}(?:{_ONE_VALUE})) (?:is|are)"
     r" (?:now )?(?P<value>.+)$", ""),
    (rf"^{_SUBJECT} (?:now )?lives? in (?P<value>.+)$", "home"),
    (rf"^{_SUBJECT} is (?P<value>\d{{1,3}}) years? old$", "age"),
    (rf"^{_SUBJECT} (?:now )?works? as (?P<value>.+)$", "job"),
    (rf"^{_SUBJECT} (?:now )?works? (?:at|for) (?P<value>(?-i:[A-Z]).+)$", "employer"),
    (rf"^(?:(?:the|our|my|we|i) )?(?:{_SUBJECT} )?(?P<attribute>ship|meet|release|deploy"
     rf"|start|close|open|run)s? (?:on|at|every) (?P<value>(?:every )?{_WHEN}\b.*)$", ""),
    (rf"^(?:(?:the|our|my) )?{_SUBJECT} (?:is|are|takes place|(?:has )?moved) (?:now )?"
     rf"(?:on|at|to|every) (?P<value>(?:every )?{_WHEN}\b.*)$", "when"),
    (r"^(?P<subject>\w{1,8}?)(?:现在|現在)?住在(?P<value>\S{1,20})$", "home"),
    (r"^(?P<subject>\w{1,10}?)は(?:今)?(?P<value>\S{1,20})に住んで\S*$", "home"),
    (r"^(?P<subject>\w{1,8}?)的(?P<attribute>名字|生日|年龄|年齡|电话|電話|地址|工作|邮箱|时区"
     r"|最喜欢的\w{1,6})是(?P<value>\S{1,30})$", ""),
    (r"^(?P<subject>\w{1,10}?)の(?P<attribute>名前|誕生日|年齢|電話番号|住所|仕事|一番好きな\w{1,8})は"
     r"(?P<value>\S{1,30}?)(?:です|だ)?$", ""),
)  # fmt: skip
_COMPILED = tuple((re.compile(pattern, re.IGNORECASE), name) for pattern, name in _PATTERNS)
_LONGEST_VALUE = 60


@dataclass(frozen=True)
class Key:
    """Equal keys speak of the same attribute of the same thing; the value is not compared."""

    subject: str
    attribute: str
    value: str = field(compare=False)


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
    for pattern, name in _COMPILED:
        found = pattern.match(line)
        if found is None or len(found["value"]) > _LONGEST_VALUE:
            continue
        attribute = name or found.groupdict()["attribute"]
        return Key(normalise(found["subject"] or ""), normalise(attribute), found["value"])
    return None
