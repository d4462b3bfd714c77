"""Sentences that are said to be kind and ask for nothing that anybody could remember."""

import re

from memoryweb.language.sentences import split

# Each is what stands between two marks, with the words that may come before and behind it.
_ENGLISH = r"""
(?:(?:so|well|oh|ah|and|but|ok|okay|alright|hey|hi|hello|yes|no|anyway|now|then|please|great)\s)*
(?:(?:hi|hello|hey|hiya|howdy|yo|greetings)|good\s(?:morning|afternoon|evening|night|day)
|how\s(?:are\syou|(?:is|are)\s(?:it|things|life|everything)(?:\sgoing)?|do\syou\sdo|have\syou\sbeen)(?:\sdoing)?
|how(?:'s|\sis|\swas)\s(?:it\sgoing|life|everything|your\s(?:day|morning|evening|night|week(?:end)?))(?:\s(?:going|been))?
|what'?s\s(?:up|new)|(?:thanks|thank\syou|thx|cheers)(?:\s(?:so|very))?(?:\s(?:much|a\slot))?
(?:\sfor\s(?:letting\sme\sknow|telling\sme|sharing|asking|that|everything|(?:the|your)\s(?:help|info)))?
|(?:that|this|it)(?:'s|\swas|\sis)?\s(?:really\s|very\s|so\s)?(?:helpful|great|perfect|nice|right|true|fine|ok|okay|good|helps|helped)(?:\sa\slot)?
|ok|okay|sure|great|perfect|cool|nice|fine|good|alright|yes|no|yep|nope|sorry|please|welcome(?:\sback)?|right|exactly|true
|(?:so|well|oh|ah|anyway|yeah|nope)
|of\scourse|absolutely|certainly|agreed|deal|done|wow|lol|(?:ha){2,}|(?:he){2,}|h?m{2,}
|understood|noted|saved|will\sdo|(?:it\s)?makes\ssense|fair\senough|good\s(?:to\sknow|point|idea)|interesting
|(?:sounds|looks)\s(?:good|great)|(?:i\s)?(?:got|have)\s(?:it|that)|i\s(?:see|understand|agree|know)|no\s(?:problem|worries)
|(?:i'll|i\swill)\s(?:remember|note|keep)\s(?:that|it|this)(?:\s(?:in\smind|down))?|(?:i've|i\shave)\s(?:noted|saved|remembered)\s(?:that|it|this)(?:\sdown)?
|you'?re\swelcome|never\smind|same\shere|(?:me|you)\stoo|likewise|(?:and|what\sabout|how\sabout)\syou
|(?:are\syou|i'?m|i\sam)\s(?:ready|there|back|here|awake|fine|good|well|ok|okay|great)|ready\swhen\syou\sare
|(?:shall|can|could|should|may)\s(?:we|i)\s{go}|let'?s\s(?:{go}|see)|(?:good|nice|great|lovely)\sto\s(?:see|meet|hear\sfrom|be\sback\swith)\syou|long\stime\sno\ssee
|(?:i\s)?hope\s(?:you'?re|you\sare|all\sis|everything\sis)\s(?:well|good|fine|okay|doing\swell)
|(?:good\s?)?bye|see\syou(?:\s(?:later|soon|tomorrow))?|talk\s(?:to\syou\s)?(?:later|soon|tomorrow)|take\scare|good\sluck
|(?:can|could)\syou\shelp(?:\sme)?(?:\swith\ssomething)?|did\syou\ssleep\swell|sleep\swell|have\sa\s(?:nice|good)\s\w+)
(?:\s(?:today|tonight|now|then|again|there|everyone|all|you|so\sfar|too|(?:my\s)?(?:dear\s)?(?:friend|mate|buddy|pal|dear|love)))*
|(?:my\s)?(?:dear\s)?(?:friend|mate|buddy|pal|dear|love)
"""
_GO = (
    r"(?:go(?:\son)?|continue|carry\son|proceed|start|begin|get\s(?:started|going)|keep\sgoing|move\son"
    r"|talk|chat|do\s(?:it|this|that))(?:\s(?:where|from\swhere)\swe\s(?:left\soff|stopped))?"
)
_GERMAN = r"""
(?:(?:so|na|ach|und|also|ok|okay|ja|nein|hallo|hey|hi|gut|dann|bitte)\s)*
(?:(?:hallo|hi|hey|moin|servus|na)(?:\sdu)?|guten?\s(?:morgen|tag|abend|nacht)
|wie\sgeht(?:'?s|\ses)(?:\s(?:dir|ihnen|euch))?|was\sgibt'?s\sneues|wie\swar\sdein\s(?:tag|abend|wochenende)|wie\swar\sdeine\s(?:nacht|woche)
|(?:mir\sgeht(?:'?s|\ses)|alles)\s(?:auch\s)?(?:gut|prima|bestens)|und\s(?:dir|ihnen|selbst)|ich\sbin\s(?:wieder\s)?(?:da|zurück|bereit|soweit)
|(?:vielen\s)?dank(?:e)?(?:\s(?:dir|ihnen|schön|sehr|vielmals))*|das\shat\s(?:mir\s)?(?:sehr\s|echt\s)?geholfen
|(?:ok|okay|klar|alles\sklar|gut|super|prima|perfekt|ja|nein|bitte|genau|stimmt|entschuldigung|gern(?:e)?|schade|natürlich|kein\s(?:problem|ding)|macht\snichts)
|verstanden|notiert|vermerkt|gemerkt|gespeichert|mach(?:e)?\sich|wird\sgemacht|(?:das\s)?ist\s(?:notiert|vermerkt|gespeichert)
|(?:das\s)?(?:habe?\sich\s(?:mir\s)?(?:notiert|gemerkt|vermerkt|gespeichert|verstanden)|merke?\sich\smir|verstehe\sich)|ich\s(?:verstehe|merke?\s(?:es|das|mir\s(?:es|das)))
|(?:sollen|wollen|können)\swir\s{weiter}|lass(?:t)?\suns\s{weiter}|los\sgeht'?s|weiter\sgeht'?s|schön\s(?:dich|sie)\s(?:wieder\s)?zu\s(?:sehen|hören)
|tschüss|bis\s(?:später|bald|morgen|dann)|schlaf\sgut|(?:kannst\sdu|können\ssie)\smir\s(?:kurz\s|mal\s)*helfen
|das\shabe\sich\snicht\sverstanden)
(?:\s(?:heute|jetzt|dann|wieder|auch|zusammen|(?:mein(?:e)?\s)?(?:lieber?\s)?(?:freund(?:in)?|lieber?)))*
|(?:mein(?:e)?\s)?(?:lieber?\s)?freund(?:in)?
"""
_WEITER = r"(?:weitermachen|weiterreden|anfangen|starten|loslegen|fortfahren|beginnen|reden)"
_CJK = r"""
はい|ええ|うん|いいえ|是的?|对|こんにちは|こんばんは|おはよう(?:ございます)?|おやすみ(?:なさい)?|(?:今日は)?お?元気(?:です(?:か)?)?|ありがとう(?:ございます|ございました)?
|(?:とても)?助かりました|了解(?:です|しました)?|また(?:後で|ね|明日)|最近どう(?:ですか)?|すみません|もう一度お願いします
|(?:ちょっと)?手伝ってもらえますか|お疲れ様(?:です|でした)?|(?:お)?久しぶり(?:です(?:ね)?)?|よろしく(?:お願い(?:します|いたします))?
|(?:承知|了承)(?:しました|いたしました)|かしこまりました|(?:わか|分か)りました|メモ(?:しました|しておきます)|覚え(?:ました|ておきます)ね?|記録しました|なるほど|そうですね|大丈夫です
|(?:では|じゃあ)?(?:続け|始め)(?:ましょう|よう)か?
|你好|您好|大家好|早上好|早安|下午好|晚上好|晚安|嗨|谢谢(?:你|您)?|多谢|帮了大忙|好的|好|回头见|再见|拜拜|明天见
|你?(?:今天)?(?:怎么样|好吗)|最近有什么新鲜事|对不起|不好意思|请再说一遍|你?能帮我个?忙吗|没关系|不客气|没问题|好久不见
|明白了?|知道了|了解了?|收到|(?:我)?(?:会)?记(?:住|下)(?:来)?[了的]|已记录|我很好|你呢|哈哈+|嗯+|(?:那)?(?:我们|咱们)?(?:可以)?(?:继续|开始)[吧吗]|我的?朋友|老朋友
"""
_ONE = "|".join(
    f"(?:{re.sub(chr(10), '', part)})"
    for part in (_ENGLISH.replace("{go}", _GO), _GERMAN.replace("{weiter}", _WEITER), _CJK)
)
_COURTESY = re.compile(_ONE, re.IGNORECASE)
# Of courtesies alone these may answer a question.
_YES_OR_NO = re.compile(
    r"(?:yes|yep|yeah|nope|ja|nein|no(?! (?:problem|worries)))\b.*"
    r"|はい|ええ|うん|いいえ|是的?|对|不是|没有",
    re.IGNORECASE,
)
_APART = re.compile(r"[,.!?…、，。！？～~:;()-]+")
_LONGEST = 80  # characters of a sentence that may be one


def without_courtesies(text: str) -> str:
    """The sentences that are left; "" when there is nothing else."""
    return "\n".join(one for one in split(text) if not is_courtesy(one))


def is_courtesy(sentence: str) -> bool:
    if len(sentence) > _LONGEST:
        return False
    return all(map(_COURTESY.fullmatch, _parts(sentence)))


def tells_nothing(text: str) -> bool:
    """ "Noted." and "Okay, thanks!"; a yes or a no may be an answer."""
    if len(text) > _LONGEST or without_courtesies(text):
        return False
    return not any(map(_YES_OR_NO.fullmatch, _parts(text)))


def _parts(text: str) -> list[str]:
    parts = (part.strip() for part in _APART.split(text.replace("’", "'")))
    return [part for part in parts if part]


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
