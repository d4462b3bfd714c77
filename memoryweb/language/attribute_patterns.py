"""How people say which value one attribute of one thing has. Patterns only; see `keys`."""

import re
from dataclasses import dataclass

from memoryweb.language import dates

_ONE_VALUE = (
    r"name|full name|nickname|surname|birthday|e-?mail|email address|phone|phone number|address"
    r"|age|job|job title|title|employer|role|manager|boss|husband|wife|spouse|partner|hometown"
    r"|home town|time ?zone|deadline|due date|start date|end date|budget|status|version|price"
    r"|owner|lead|language|location|office|colou?r|release day|shipping day|launch date"
    r"|wi-?fi|invoice address|salary|pronouns|nationality|religion|diet"
)
_SUBJECT = r"(?P<subject>[^\W\d_][\w.-]*(?: [^\W\d_][\w.-]*){0,3}?)"
_NAME = r"[^\W\d_][\w.-]*(?: [^\W\d_][\w.-]*)?"
_CAPITAL = r"(?-i:[A-ZÀ-ÖØ-Þ])[\w.'’-]*"
_PERSON = rf"(?P<subject>{_CAPITAL}(?: {_CAPITAL})?)"
_PLACE = rf"{_CAPITAL}(?: {_CAPITAL}){{0,2}}(?:, {_CAPITAL})?"
_HOLDER = rf"(?:(?P<holder>{_NAME}(?:['’]s team)?['’]s|the|our|my|their) )?"
_TEAM = rf"(?:(?P<holder>{_NAME}['’]s team|{_NAME} and others) )?"
_WHEN = rf"(?P<value>{dates.ENGLISH})\b"
_FROM = rf"(?:from (?:(?:on|at) )?(?P<left>{dates.ENGLISH}) )?"
_MOVED = r"(?:moved|shifted|changed|switched|rescheduled|postponed|brought forward)"
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* "
DATE = rf"(?:{_MONTH})?(?:19|20)\d\d(?:-\d\d){{0,2}}"
_DATED = rf"(?:(?:on|in|in the week of) (?P<dated>{DATE}),? )?"
_SITE = r"(?P<attribute>office|headquarters|shop|store|warehouse|branch|studio|clinic)"

_CJK_WHEN = rf"(?P<value>{dates.CJK})"
_CJK_LEFT = rf"(?:从|從|由)(?P<left>{dates.CJK})"
_CJK_HOLDER = r"(?:(?P<holder>[^\s的の]{1,12})[的の])?"
_CJK_DATE = r"(?:\d{4}年\d{1,2}月(?:\d{1,2}日)?|\d{4}-\d\d(?:-\d\d)?)"
_CJK_NOW = r"(?:现在|現在|如今|今后|今後|以后|今は|今後は|これからは|已经|已經|刚刚|最近)?"


@dataclass(frozen=True)
class Pattern:
    """`kind` says what the value is: a `when`, a `home`, or `plain` words."""

    found: re.Pattern[str]
    kind: str
    attribute: str = ""


def _pattern(text: str, kind: str = "plain", attribute: str = "") -> Pattern:
    return Pattern(re.compile(rf"^{text}(?P<tail>.*)$", re.IGNORECASE), kind, attribute)


_PLAIN_VALUE = r"(?:is|are) (?:now )?(?P<value>.+)"
PATTERNS = (
    _pattern(
        rf"{_HOLDER}(?P<subject>(?:[\w-]+ ){{0,2}}?){_SITE} (?:is|are) (?:now )?(?:located )?in"
        rf" (?P<value>{_PLACE})",
        "home",
    ),
    _pattern(
        rf"{_HOLDER}(?P<subject>(?:[\w-]+ ){{0,2}}?){_SITE} (?:has |have )?moved"
        rf" (?:from (?P<left>{_PLACE}) )?to (?P<value>{_PLACE})",
        "home",
    ),
    _pattern(
        rf"{_SUBJECT}['’]s? (?P<attribute>(?:favou?rite|preferred|default|main|current)"
        rf" [\w ]{{2,30}}?) {_PLAIN_VALUE}"
    ),
    _pattern(rf"{_SUBJECT}['’]s? (?P<attribute>(?:\w+ )?(?:{_ONE_VALUE})) {_PLAIN_VALUE}"),
    _pattern(
        rf"(?:the|our|my) (?P<subject>)(?P<attribute>(?:[\w-]+ ){{0,3}}(?:{_ONE_VALUE}))"
        rf" {_PLAIN_VALUE}"
    ),
    _pattern(
        rf"(?:(?:the|our|my|we|i) )?{_TEAM}(?:(?:now )?{_SUBJECT} )??(?:now )?"
        r"(?P<attribute>ship|release|deploy|publishe?)s?"
        rf"(?: (?:the |our )?(?P<about>[\w-]+(?: [\w-]+){{0,2}}?))? (?:on|at|every) {_WHEN}",
        "when",
    ),
    _pattern(
        rf"(?:(?:the|our|my|we|i) )?{_TEAM}(?:{_SUBJECT} )?(?:now )?"
        rf"(?P<attribute>meet|start|close|open|run|go out|goe?s out)s? (?:on|at|every) {_WHEN}",
        "when",
    ),
    _pattern(
        rf"{_HOLDER}{_SUBJECT} (?:is|are|takes place) (?:now )?(?:on|at|every) {_WHEN}",
        "when",
        "when",
    ),
    _pattern(
        rf"{_HOLDER}{_SUBJECT} (?:(?:is|was|has|have|has been|have been) (?:now )?)?{_MOVED}"
        rf" {_FROM}to (?:(?:on|at) )?{_WHEN}",
        "when",
        "when",
    ),
    _pattern(
        rf"(?:{_NAME}(?:['’]s team| and others)?) (?:has |have )?{_MOVED}"
        rf" (?P<holder>{_NAME}['’]s|the|our|my|their|his|her) {_SUBJECT} {_FROM}to"
        rf" (?:(?:on|at) )?{_WHEN}",
        "when",
        "when",
    ),
    _pattern(rf"{_PERSON} (?:now )?lives? in (?P<value>{_PLACE})", "home", "home"),
    _pattern(
        rf"{_DATED}{_PERSON} (?:has |have |just |recently )*moved (?:from (?P<left>{_PLACE}) )?"
        rf"to (?P<value>{_PLACE})",
        "home",
        "home",
    ),
    _pattern(rf"{_SUBJECT} is (?P<value>\d{{1,3}}) years? old", "plain", "age"),
    _pattern(rf"{_SUBJECT} (?:now )?works? as (?P<value>.+)", "plain", "job"),
    _pattern(
        rf"{_SUBJECT} (?:now )?works? (?:at|for) (?P<value>(?-i:[A-Z]).+)", "plain", "employer"
    ),
)
CJK_PATTERNS = (
    _pattern(
        rf"(?P<subject>[^\s，,。]{{0,12}}?)(?:は|が)?{_CJK_NOW}(?:改成|改为|改為|改在|在)?{_CJK_WHEN}"
        r"(?P<attribute>发布|發布|上线|上線|发货|出貨|发版|部署|开会|開會)(?P<about>[^\s，,。；;]{0,8})",
        "when",
    ),
    _pattern(
        rf"(?P<subject>[^\s，,。は]{{0,12}}?)(?:は|が)?{_CJK_NOW}{_CJK_WHEN}に"
        r"(?:(?P<about>[^\s、。]{1,8})を)?(?P<attribute>リリース|出荷|発送|デプロイ|公開|会議)"
        r"(?:を)?(?:し(?:ます|ています|ている|た)?|する|があります)?",
        "when",
    ),
    _pattern(
        rf"{_CJK_HOLDER}(?P<subject>[^\s，,。的は]{{1,10}}?){_CJK_NOW}(?:都)?(?:是在|是|在|定在)"
        rf"{_CJK_WHEN}(?:开始|開始)?",
        "when",
        "when",
    ),
    _pattern(
        rf"{_CJK_HOLDER}(?P<subject>[^\s，,。的は]{{1,10}}?){_CJK_NOW}(?:{_CJK_LEFT})?"
        rf"(?:改到|改为|改為|改成|改在|移到|挪到|调到|調到|推迟到|提前到)了?{_CJK_WHEN}了?",
        "when",
        "when",
    ),
    _pattern(
        rf"{_CJK_HOLDER}(?P<subject>[^\s、。のは]{{1,12}})は{_CJK_NOW}"
        rf"(?:(?P<left>{dates.CJK})から)?{_CJK_WHEN}"
        r"(?:です|だ|からです|から|に(?:変更|変わり|移り|なり|移動)\S{0,8})",
        "when",
        "when",
    ),
    _pattern(
        rf"(?P<subject>\w{{1,8}}?)(?P<dated>{_CJK_DATE})?{_CJK_NOW}"
        r"(?:(?:从|從)(?P<left>[^\s，,。]{1,8}?))?(?:搬到|搬去|移居)了?(?P<value>[^\s，,。了]{1,12})了?",
        "home",
        "home",
    ),
    _pattern(
        rf"(?P<subject>\w{{1,10}}?)は(?:(?P<dated>{_CJK_DATE})に?、?)?{_CJK_NOW}"
        r"(?:(?P<left>[^\s、。]{1,10}?)から)?(?P<value>[^\s、。から]{1,12}?)[にへ]"
        r"(?:引っ越し|引越し|転居し|移り住)(?:ました|た|みました|んだ)?",
        "home",
        "home",
    ),
    _pattern(r"(?P<subject>\w{1,8}?)(?:现在|現在)?住在(?P<value>[^\s，,。]{1,20})", "home", "home"),
    _pattern(r"(?P<subject>\w{1,10}?)は(?:今)?(?P<value>\S{1,20})に住んで\S*", "home", "home"),
    _pattern(
        r"(?P<subject>\w{1,8}?)的(?P<attribute>名字|生日|年龄|年齡|电话|電話|地址|工作|邮箱|时区"
        r"|最喜欢的\w{1,6})(?:现在)?是(?P<value>[^\s，,。]{1,30})"
    ),
    _pattern(
        r"(?P<subject>\w{1,10}?)の(?P<attribute>名前|誕生日|年齢|電話番号|住所|仕事|一番好きな\w{1,8})は"
        r"(?P<value>[^\s、。]{1,30}?)(?:です|だ)?"
    ),
)
