"""Sentences that are said to be kind and ask for nothing that anybody could remember."""

import re

from memoryweb.language.sentences import split

_ENGLISH = r"""
(?:hi|hello|hey|hiya|howdy|yo)(?:\s(?:there|again|everyone|all|you))?|good\s(?:morning|afternoon|evening|night|day)
|how\s(?:are\syou|is\sit\sgoing|are\sthings|do\syou\sdo|have\syou\sbeen)(?:\s(?:today|doing|doing\stoday))?
|what'?s\s(?:up|new)|(?:thanks|thank\syou|thx|cheers)(?:\s(?:so|very))?(?:\s(?:much|a\slot|again))?
|(?:that|this|it)(?:'s|\swas|\sis)?\s(?:really\s|very\s|so\s)?(?:helpful|great|perfect|nice|helps|helped)(?:\sa\slot)?
|(?:ok|okay|sure|great|perfect|cool|nice|fine|alright|yes|no|yep|nope|sorry|please|welcome)
|(?:sounds|looks)\s(?:good|great)|got\sit|i\ssee|no\sproblem|you'?re\swelcome|never\smind
|(?:good\s?)?bye|see\syou(?:\s(?:later|soon|tomorrow))?|talk\sto\syou\s(?:later|soon|tomorrow)|take\scare
|(?:can|could)\syou\shelp(?:\sme)?(?:\swith\ssomething)?|did\syou\ssleep\swell|have\sa\s(?:nice|good)\s\w+
"""
_GERMAN = r"""
(?:hallo|hi|hey|moin|servus|na)(?:\sdu)?|guten?\s(?:morgen|tag|abend|nacht)
|wie\sgeht(?:'?s|\ses)(?:\s(?:dir|ihnen|euch))?(?:\sheute)?|was\sgibt'?s\sneues
|(?:vielen\s)?dank(?:e)?(?:\s(?:dir|ihnen|schön|sehr|vielmals))*|das\shat\s(?:mir\s)?(?:sehr\s|echt\s)?geholfen
|(?:ok|okay|klar|alles\sklar|gut|super|prima|perfekt|ja|nein|bitte|genau|entschuldigung|gern(?:e)?|schade)
|tschüss|bis\s(?:später|bald|morgen|dann)|(?:kannst\sdu|können\ssie)\smir\s(?:kurz\s|mal\s)*helfen
|das\shabe\sich\snicht\sverstanden
"""
_CJK = r"""
こんにちは|こんばんは|おはよう(?:ございます)?|おやすみ(?:なさい)?|お?元気(?:ですか)?|ありがとう(?:ございます|ございました)?
|(?:とても)?助かりました|了解(?:です|しました)?|また(?:後で|ね|明日)|最近どう(?:ですか)?|すみません|もう一度お願いします
|(?:ちょっと)?手伝ってもらえますか|お疲れ様(?:です|でした)?
|你好|您好|大家好|早上好|早安|下午好|晚上好|晚安|嗨|谢谢(?:你|您)?|多谢|帮了大忙|好的|好|回头见|再见|拜拜|明天见
|你?(?:今天)?(?:怎么样|好吗)|最近有什么新鲜事|对不起|不好意思|请再说一遍|你?能帮我个?忙吗|没关系|不客气
"""
_ONE = "|".join(re.sub(r"\n", "", part) for part in (_ENGLISH, _GERMAN, _CJK))
_COURTESY = re.compile(_ONE, re.IGNORECASE)
_APART = re.compile(r"[,.!?…、，。！？～~:;()-]+")
_LONGEST = 80  # characters of a sentence that may be one


def without_courtesies(text: str) -> str:
    """The sentences that are left; "" when there is nothing else."""
    return "\n".join(one for one in split(text) if not is_courtesy(one))


def is_courtesy(sentence: str) -> bool:
    if len(sentence) > _LONGEST:
        return False
    parts = (part.strip() for part in _APART.split(sentence.replace("’", "'")))
    return all(_COURTESY.fullmatch(part) for part in parts if part)


# Whether somebody asks about what was: then what is over may answer, too.

_ASKS = re.compile(
    r"\b(?:used to|formerly|previous(?:ly)?|earlier|originally|back then|at first|in the past|once"
    r"|ago|old|ex|former|first|last (?:year|month|week|spring|summer|autumn|fall|winter)|histor\w+"
    r"|until|before|did|(?-i:was)|were|had|(?:19|20)\d\d)\b"
    r"|\b(?:früher\w*|vorher\w*|damals|ehemals|ehemalig\w*|ursprünglich|einst|einmal|zuerst|alte[nrs]?"
    r"|vor \w+ (?:jahr|monat|woche|tag)\w*|letzte[nsr]? (?:jahr|monat|woche)|bis wann|war(?:en|st)?"
    r"|hatte[nst]?|(?:hab|has|hat|habe|haben|bin|ist|sind)\b[^.?!]*\bge\w+(?:t|en))\b"
    r"|以前|之前|过去|从前|曾经|曾|原来|那时|当时|去年|上个月|上周|前年"
    r"|以前|昔|前は|前の|かつて|当時|去年|昨年|先月|先週|もともと|元々|(?:まし|だっ|でし|てい|[いきしちにみりっん])た(?:か|の|っけ)?[?？。]",
    re.IGNORECASE,
)


def asks_about_past(text: str) -> bool:
    return bool(_ASKS.search(text))
