"""Chinese sentences of one person turned into statements about that person."""

import re

from memoryweb.extraction.rules.cjk_dates import resolve_chinese
from memoryweb.extraction.rules.drafts import Draft, Scene

UNNAMED = "用户"

_OPENER = re.compile(
    r"^(?:(?:嗯+|哦+|噢|啊+|呀|唉|哇+|哈+|嘿|嗨|喂|好的?|好吧|好呀|行|可以|没问题|没事|对了?"
    r"|是的?|是啊|不是|没有|当然|真的|其实|另外|还有|那个|那么"
    r"|那|然后|所以|不过|但是|而且|总之|顺便(?:说一下|提一下)?|话说|老实说|说实话|不好意思"
    r"|抱歉|谢谢(?:你|您|啦|大家)*|多谢|感谢(?:你|您)*|辛苦了"
    r"|你好|您好|大家好|早上好|下午好|晚上好|早|晚安|不客气|太好了|还不错|还行|挺好的?|还可以"
    r"|喜欢(?=[，,]但)|太棒了|真不错|更正(?:一下)?"
    r"|纠正一下|补充一下|对不起)[，,！!。～~、：: ]+)+"
)
_ASKED = re.compile(
    r"^(?:请|麻烦|帮我|你要|您|一定要)*(?:记住|记得|记下来?|记一下|牢记|别忘了|不要忘了"
    r"|不要忘记|注意|备注)(?:一下)?[，,：: ]*"
)
_STANDING = re.compile(r"^(?:以后|今后|从现在起|从现在开始|从今以后|往后)(?:请)?(?:都|一律)?")
_QUESTION = re.compile(
    r"(?:吗|呢|吧|么|不|没有)[？?。!！]*$|[？?]|什么|怎么|怎样|谁|哪[里儿个些]|为何|为什么"
    r"|多少|几点|几个人|是否|能不能|可不可以|有没有|要不要"
)
_EMPTY = re.compile(
    r"^(?:我)?(?:也)?(?:觉得|认为|想想|知道|明白|懂|同意|理解|希望你|祝|相信|猜|记得|好|很好"
    r"|没事|在|来了|爱你|很高兴|很开心|真高兴|太高兴|很抱歉|有点累|累了|饿了|看看|试试)"
    r"|加油|恭喜|保重|再见|拜拜|辛苦"
)
_CUES = re.compile(
    r"我叫|我姓|我是|我今年|岁|出生|来自|老家|住在|搬到|搬家|生日|电话|邮箱|地址|我有|养了"
    r"|结婚|离婚|怀孕|妻子|丈夫|老公|老婆|爱人|男朋友|女朋友|儿子|女儿|孩子"
    r"|爸|妈|父亲|母亲|父母|哥哥|姐姐|弟弟|妹妹|爷爷|奶奶|家人|喜欢|最爱|热爱|讨厌|不吃|不喝"
    r"|不能吃|爱吃|爱喝|爱好|过敏|偏好|更愿意|习惯|素食|吃素|擅长|会说"
    r"|决定|改用|选择了?|商定|说好|定在|同意用|以后|打算|计划|准备|想要|想学|想去|要去|将|承诺"
    r"|答应|保证|必须|需要|截止|目标|预约|工作|上班|公司|团队"
    r"|项目|大学|学校|专业|毕业|考试|课程|论文|实习|工程师|老师|医生|护士|律师|设计师|会计"
    r"|部署|上线|发布|发票|客户|会议|每[周天月年个]|一直在|正在|开始|学会|学了"
)
_NO_SUBJECT = re.compile(
    r"^(?:(?:也|还|都|就|又|正在|一直|已经|经常|平时|最近|[\d年月日那一周末的-]{4,}){0,3}[，,]?)"
    r"(?:叫|姓|住在|来自|出生|喜欢|不喜欢|讨厌|不吃|不喝|爱吃|爱喝|决定|打算|计划|准备|要|想"
    r"|会|去|飞|搬|参加|出差|开会|休假|请假|在|有|养了|需要|必须|得|和|跟|买|做|写|学|开始)"
)


def drafts(sentence: str, scene: Scene) -> list[Draft]:
    """At most one statement a sentence; Chinese needs no agreement, only the right name for 我."""
    bare = _OPENER.sub("", sentence.strip(" 　“”\"'*_~，,")).strip()
    bare = re.sub(r"^(?:但是?|不过|而且|所以|然后|另外|因为)[，,]?", "", bare)
    asked = bool(_ASKED.match(bare))
    text = _ASKED.sub("", bare).rstrip("。！!.…～~ ")
    standing = bool(_STANDING.match(text))
    if (
        len(text) < 4
        or (_QUESTION.search(sentence) and not asked)
        or (_EMPTY.search(text) and not asked)
    ):
        return []
    dated = resolve_chinese(text, scene.at)
    if not asked and not standing and re.search(r"[你您]", text):
        return []
    if not (asked or standing or _CUES.search(text) or (dated.found and "我" in text)):
        return []
    named = _named(dated.text, scene, asked or standing)
    if re.fullmatch(rf"{re.escape(scene.speaker)}(?:是|叫|姓){re.escape(scene.speaker)}", named):
        return []
    if not named or re.match(r"^(?:它|他|她|这|那|其中|其他)", named):
        return []
    durable = bool(asked or standing or dated.found or _CUES.search(text))
    return [Draft(f"{named}。", durable, asked=asked or standing)]


def _named(text: str, scene: Scene, instruction: bool) -> str:
    speaker = scene.speaker
    if re.search(r"我|咱", text):
        text = re.sub(
            r"(?:我们|咱们)(?:团队|公司|部门|小组|组)", lambda m: f"{speaker}的{m[0][2:]}", text
        )
        text = re.sub(r"我们|咱们|咱", lambda match: f"{speaker}他们", text)
        text = re.sub(
            r"我(?=的?(?:妻子|丈夫|老公|老婆|爱人|儿子|女儿|孩子|爸|妈|父|母|哥|姐"
            r"|弟|妹|爷|奶|家))",
            lambda match: f"{speaker}的",
            text,
        )
        return text.replace("的的", "的").replace("我", speaker)
    if instruction and _STANDING.match(text):
        return f"{speaker}要求{text}"
    return f"{speaker}{text}" if _NO_SUBJECT.match(text) else text
