"""Sentences about a thing of which there is one, that differ in a number or in where it is: "The
printer is in room 4." and "… in room 7." What is next or last is another one each time."""

import re
from functools import lru_cache

from memoryweb.language.habit_times import number_of
from memoryweb.language.normal_form import clean, normalise
from memoryweb.language.support_words import NUMERALS

_THING = (
    r"(?:the|our|der|die|das|unsere?) "
    r"(?!(?:next|last|latest|first|nächste\w?|letzte\w?|erste\w?|other|andere\w?) )[^,;:.!?\d]+?"
)
_HAS = r"(?:is|has|opens|closes|costs|stands|sits|ist|hat|öffnet|schließt|kostet|steht|liegt)"
_LIES = r"(?:is|stands|sits|ist|steht|liegt)"
_WORD = rf"\b(?:{'|'.join(NUMERALS)})\b"
_NUMBER = rf"(?:\d+(?:[.,:]\d+)*|{_WORD})"
_NAME = r"(?-i:[A-ZÄÖÜ][\w-]+(?: [A-ZÄÖÜ][\w-]+)?)"
_FORMS = tuple(
    re.compile(rf"(?P<before>{before})(?P<value>{value})(?P<after>{after})[.!]?", re.IGNORECASE)
    for before, value, after in (
        (rf"{_THING} {_HAS} (?:[^,;:.!?\d]+ )?", _NUMBER, rf"(?: (?!.*{_WORD})[^,;:.!?\d]+)?"),
        (rf"{_THING} {_LIES} (?:now |jetzt )?in ", _NAME, ""),
    )
)
# Chinese and Japanese: a thing that is nobody's own, where it is or since when, and the number
# or place.
_OTHERS = (
    r"(?![老小阿]|.*(?:[我你您他她它们們人谁私僕俺彼妹弟姐哥妈爸母父妻]|先生|小姐|さん|くん|ちゃん)"
    r"|.*(?:家|电话|電話|手机|生日|诞|誕|体重|身高|身長|年[龄纪齢]|工资|給料|地址|住所|名字|名前|孩子|[猫狗犬車车])"
    r"|(?:[下上]一?[次个個]|前[一次の]|次の|首|第|最[新初后後]|今[度天日]|[别別]|明|昨))"
)
_COUNT = (
    r"(?:\d+(?:[.:]\d+)*"
    r"|(?<![周期拝曜])[一二两三四五六七八九十]{1,3}(?=[点點时時号號楼层層室元块塊円階番]))"
)
_SCRIPT = r"[^\s,，、。;；:：!！?？\d]"
_SCRIPTS = tuple(
    re.compile(rf"{_OTHERS}(?P<before>{before})(?P<value>{value})(?P<after>{after})[。！.!]?")
    for before, value, after in (
        (rf"{_SCRIPT}{{2,}}?(?:[在是有为要]|放在|位于|价格)", _COUNT, rf"{_SCRIPT}*"),
        (
            rf"{_SCRIPT}{{2,}}?",
            _COUNT,
            r"[点點时時](?:半|整)?(?:开门|開門|关门|關門|开始|結束|结束|营业)",
        ),
        (rf"{_SCRIPT}{{2,}}?(?:放在|位于|在)", r"[㐀-鿿]{1,7}[^\W上下里外中旁边这那]", ""),
        (
            rf"{_SCRIPT}+は{_SCRIPT}*?",
            _COUNT,
            rf"{_SCRIPT}*(?:です|だ|にある|にあります|から|まで|に(?:開|閉|始|終)\w+)",
        ),
        (
            rf"{_SCRIPT}+は",
            r"[㐀-鿿゠-ヿ]{2,8}",
            r"に(?:ある|あります|置いてある|置いてあります)",
        ),
    )
)
_NOW = re.compile(r"\b(?:now|jetzt) |现在|現在|今は| uhr\b", re.IGNORECASE)


def tells_otherwise(one: str, other: str) -> bool:
    """They can't both be true, unless two things go by one name."""
    first, second = read_value(one), read_value(other)
    is_of_one = first is not None and second is not None and first[0] == second[0]
    return is_of_one and first != second


@lru_cache(maxsize=65_536)
def read_value(text: str) -> tuple[str, str] | None:
    """What a sentence says apart from its value, and the value."""
    said = _NOW.sub("", clean(text))
    for form in (*_FORMS, *_SCRIPTS):
        if found := form.fullmatch(said):
            return normalise(f"{found['before']}… {found['after']}"), _value(found["value"].lower())
    return None


def _value(value: str) -> str:
    is_count = re.fullmatch("[一二两三四五六七八九十]+", value)
    return str(number_of(value)) if is_count else normalise(NUMERALS.get(value, value))
