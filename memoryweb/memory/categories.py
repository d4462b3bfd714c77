"""The kinds of things that are remembered, and the heading of MEMORY.md each stands under."""

import re
from enum import StrEnum


class Category(StrEnum):
    IDENTITY = "identity"
    RELATION = "relation"
    WORK = "work"
    PREFERENCE = "preference"
    DECISION = "decision"
    COMMITMENT = "commitment"
    EVENT = "event"
    OTHER = "other"


HEADINGS: dict[Category, str] = {
    Category.IDENTITY: "People",
    Category.RELATION: "Family and relationships",
    Category.WORK: "Work and studies",
    Category.PREFERENCE: "Preferences and interests",
    Category.DECISION: "Decisions",
    Category.COMMITMENT: "Plans and commitments",
    Category.EVENT: "Events",
    Category.OTHER: "Other",
}


def categorise(statement: str) -> Category:
    """The kind of one third-person statement in English, Chinese or Japanese."""
    text = _AS_OF.sub("", statement[:1000].lower().replace("’", "'"))
    first = re.split(r"(?<=[a-z0-9)])\. (?=[a-z])|(?<=。)", text)[
        0
    ]  # what follows only explains it
    for part in (first, text):
        for category, cues in _CUES:
            if cues.search(part):
                return category
    return Category.OTHER


_AS_OF = re.compile(r" ?\(as of [^()]*\)")  # when it was said, not when it happened

_KIN = (
    r"(?:husband|wife|partner|spouse|fianc[eé]e?|boyfriend|girlfriend|mother|father|mom|mum"
    r"|dad|parents?"
    r"|son|sons|daughters?|child|children|kids?|bab(?:y|ies)|brothers?|sisters?|siblings?|twins?"
    r"|grand(?:ma|pa|mother|father|parents?|son|daughter|kids)|aunt|uncle|cousins?|niece"
    r"|nephew|in-laws"
    r"|famil(?:y|ies)|pets?|dogs?|cats?|puppy|kitten|pup|kitty|best friend|roommate)"
)
_DATE = r"(?<!\d)(?:19|20)\d\d(?:-\d\d){0,2}(?!\d)"
_PAST = (
    r"\b(?:\w{2,}ed|went|took|made|bought|got|ran|met|wrote|drew|won|lost|saw|gave|had|was"
    r"|were|began|came|found"
    r"|left|flew|drove|sold|held|built|taught|broke|fell|spent|swam|became|heard|read|hurt|did)\b"
)
_FUTURE = (
    r"\b(?:will|is going to|are going to|is planning|are planning|plans? to|planning to"
    r"|intends? to|promise[sd]?"
    r"|wants? to|would like to|would love to|hopes? to|hoping to|is thinking (?:about|of)|are "
    r"thinking (?:about|of)"
    r"|aims? to|is aiming|needs? to|has to|have to|must|deadline|due (?:on|by)|appointment"
    r"|scheduled"
    r"|goal is|dream (?:is|has)|looking forward|is about to)\b"
)
_DECIDED = (
    r"\b(?:decided|decides|decision (?:is|was|to)|agreed (?:to|on|that)|settled on|chose|has "
    r"chosen|picked"
    r"|switched|switching"
    r"|from now on|going with|no longer|correction|approved|asked (?:to|not to|that)|policy is)\b"
)
_LIKES = (
    r"\b(?:likes?|loves?|loved|enjoys?|enjoyed|prefers?|preferred|favou?rites?|hates?"
    r"|dislikes?|adores?|fan of"
    r"|passionate|passion|interested in|keen on|into|hobby|hobbies|allergic|allergy|vegan"
    r"|vegetarian|doesn't eat"
    r"|does not eat|cannot stand|can't stand|collects?|plays the|plays|me-time|relax\w*"
    r"|de-?stress\w*|go-to)\b"
)
_WORKS = (
    r"\b(?:works?|worked|working|job|jobs|career|company|business|office|boss|colleagues?"
    r"|coworkers?|manager|team"
    r"|client|customers?|startup|salary|promotion|promoted|hired|laid off|fired|intern\w*"
    r"|stud(?:y|ies|ied|ying)"
    r"|school|college|universit\w+|degree|class(?:es)?|course|exam|graduat\w+|thesis|phd"
    r"|teacher|engineer|nurse"
    r"|doctor|developer|designer|lawyer|accountant|counsel\w+|studio|store|shop|deploy\w*"
    r"|releases?|ships?|staging"
    r"|production|server|invoices?|project|repo(?:sitory)?|database|sprint|meeting)\b"
)
_IS = (
    r"\b(?:is|was|are) (?:called|named|born|from|originally|\d+ years old|an? [\w-]+(?: "
    r"[\w-]+)? (?:woman|man|person)"
    r"|an? (?:single|transgender|trans|mother|father|parent|mom|dad|native|citizen|immigrant"
    r"|widow))"
    r"|\b(?:lives?|lived|living) (?:in|at|near)|\bmoved (?:to|from)|\bgrew up|\bbirthday"
    r"|\bhome country|\bhometown"
    r"|\bname is\b|'s (?:full )?name\b|\bpronouns\b|\bspeaks\b|\bnative language"
    r"|\btransgender|\btrans (?:woman|man|person)|\bcoming out\b|\bcame out\b|\be-?mail "
    r"(?:address )?is"
    r"|\bphone number|\btime ?zone\b|\bdiabet\w+|\basthma"
)

_HAPPENED = rf"(?=.*{_DATE})(?=.*{_PAST})(?!.*{_FUTURE})"

_CUES: tuple[tuple[Category, re.Pattern[str]], ...] = (
    (
        Category.DECISION,
        re.compile(
            _DECIDED + r"|决定|改用|选了|选择了|说好|商定|以后都|从现在起|ことにした|ことにしました"
            r"|決めた|決めました|決定|今後は"
        ),
    ),
    (Category.EVENT, re.compile(_HAPPENED)),
    (
        Category.COMMITMENT,
        re.compile(
            _FUTURE
            + r"|打算|计划|准备(?:去|在|要)|将(?:要|会)|承诺|答应|保证|截止|目标是|预约|约了"
            r"|想要?去"
            r"|予定|つもり|しようと思|たいです|たいと思|締め切り|締切|約束|目標|予約"
            r"|\d.*(?:(?<!い)ます|する|行く)(?:。|$)"
        ),
    ),
    (
        Category.IDENTITY,
        re.compile(
            _IS + r"|叫|姓|岁|出生|来自|住在|住址|生日|老家|电话|邮箱|过敏体质|糖尿病"
            r"|と申します|という名前|名前は|歳|才です|出身|に住んで|生まれ|誕生日|電話番号"
        ),
    ),
    (
        Category.EVENT,
        re.compile(
            rf"(?=.*{_DATE})(?=.*{_PAST})|{_DATE}.*(?:了|过|ました|った|んだ)|(?:了"
            rf"|ました).*{_DATE}"
        ),
    ),
    (
        Category.RELATION,
        re.compile(
            rf"\b{_KIN}\b|\b(?:married|divorced|engaged|single|friends?|mentors?|breakup"
            rf"|adopt\w*)\b"
            r"|妻子|丈夫|老公|老婆|爱人|男朋友|女朋友|儿子|女儿|孩子|爸|妈|父亲|母亲|父母|哥哥"
            r"|姐姐|弟弟|妹妹|家人|结婚|离婚"
            r"|养了|宠物|小狗|小猫|妻が|夫|主人|息子|娘|子供|子ども|父|母|兄|姉|弟|妹|家族"
            r"|結婚|離婚|飼って|ペット|彼女|彼氏|友達|朋友"
        ),
    ),
    (
        Category.PREFERENCE,
        re.compile(
            _LIKES
            + r"|喜欢|最爱|热爱|偏好|讨厌|不吃|不喝|爱吃|爱喝|爱好|过敏|更愿意|习惯用|素食|吃素"
            r"|が好き|好きな|好きです|嫌い|苦手|趣味|アレルギー|食べません|飲みません|食べられ"
            r"|の方がいい|ほうがいい|気に入"
        ),
    ),
    (
        Category.WORK,
        re.compile(
            _WORKS + r"|工作|上班|公司|团队|同事|老板|客户|项目|大学|学校|专业|毕业|考试|课程|论文"
            r"|实习|工程师|老师|医生|发票|部署|上线|发布"
            r"|仕事|働いて|会社|勤め|部署|上司|同僚|顧客|大学|学校|専攻|卒業|試験|研究"
            r"|エンジニア|教師|医者|看護師|請求書|デプロイ|リリース|チーム"
        ),
    ),
    (Category.EVENT, re.compile(_DATE)),
)
