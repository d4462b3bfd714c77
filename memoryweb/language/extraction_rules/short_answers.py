"""A short answer is kept with its question, `Shoe size? 43`, and says what a sentence would.

Only one thing that was asked, and never a yes or no: to what a person was asked they said nothing.
"""

import re

from memoryweb.language.normal_form import clean
from memoryweb.language.secrets import credentials
from memoryweb.language.sentences import spans, speech, split, unopened
from memoryweb.language.small_talk import is_courtesy

LONGEST = 80  # characters of a question
_MOST_WORDS, _MOST_SIGNS = 6, 12
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_KANA = re.compile(r"[\u3040-\u30ff]")
_MARK = re.compile(r"[?？]|か。|か$|[吗呢]。")
_SEVERAL = re.compile(
    r"\b(?:or|and|oder|und|versus|vs)\b|[、/]|还是|或者?|それとも|または|以及|か、", re.IGNORECASE
)
_LEAD = re.compile(r"^.*?(?:[:;–—]|(?<=\w)[,，]|(?<=\w)\s-)\s*(?=\S)")
# What an assistant offers, or asks for company or to go on with.
_NOTHING = re.compile(
    r"^(?:(?:how|what) about|why (?:not|don)|fancy)\b"
    r"|^(?:how (?:are|is (?:it|life|your (?:day|week\w*))|do (?:you|we) (?:feel|start)"
    r"|(?:can|may|could) i)"
    r"|what(?:'s| is) (?:up|new|next|wrong|the (?:matter|problem|plan))"
    r"|(?:shall|should|can|may|could|would|will|do you (?:want|need|mind)|did|want|ready|need"
    r"|any ?thing"
    r"|is (?:that|this|there|it)|does (?:that|this|it)|sounds?|ok(?:ay)?|right|so|which one|more)\b"
    r"|what (?:would you like|can i|do you (?:want|think|need|mean))|where (?:shall|should)"
    r"|wie (?:geht|läuft|war|kann)|soll|möchte|willst|wollen|kann|darf|noch (?:etwas|was)|brauchst"
    r"|was (?:kann|möchte)|passt|alles|sonst|welche[rs]?$)"
    r"|\b(?:anything|something) else\b"
    r"|ましょうか|ですね|いかが|ほかに|他に|よろしい|お手伝い|元気"
    r"|要不要|需要我|可以吗|好吗|还有|怎么样|什么忙",
    re.IGNORECASE,
)
_EMPTY = re.compile(
    r"^(?:i )?(?:no\b|nope|nah|none|not\b|never|nothing|yes|yeah|yep|yup|sure|maybe|perhaps|fine"
    r"|good|great"
    r"|ok(?:ay)?|idk|dunno|don'?t|both|either|neither|all|same|that|this|it(?:'s| is) (?:fine|ok"
    r"|good)"
    r"|nein|nee|ja|nicht|kein\w*|nichts|gut|passt|doch|egal|weiß|vielleicht|klar|beide\w*|skip"
    r"|secret)\b"
    r"|^(?:depends|it depends|hmm+|well|let me|wait|just|guess|why|who|what|how)\b"
    r"|^(?:いいえ|いや|はい|ええ|うん|ない|なし|ありません|特に|大丈夫|わから|不|没|没有|无|是的?|对|好|可以|嗯)",
    re.IGNORECASE,
)
_SECRET = re.compile(
    r"\b(?:pass(?:word|code|phrase)|pin|cvv|cvc|iban|(?:card|account|security"
    r"|passport) (?:number|code)"
    r"|(?:log|sign)-?in|token|api[ -]key|secret|(?:verification|access|one-time) code|ssn"
    r"|social security"
    r"|passwort|kennwort|\w*pin|kartennummer|kontonummer|zugangscode|geheimnis)\b"
    r"|密码|密碼|口令|卡号|验证码|暗証|パスワード|カード番号|認証コード",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    r"(?:[,;\s]+(?:thanks|thank you|thx|ta|please|pls|lol|haha|danke|bitte|谢谢))+$", re.IGNORECASE
)
_PREPOSITION = re.compile(r"(?:^| )(?:in|at|on|am|bei|for|from|aus|an?) (?=\S)", re.IGNORECASE)
_YES = re.compile(r"^(?:yes|yeah|yep|ja|はい|ええ|是的|有)[,，、.!]\s*(?=\S)", re.IGNORECASE)
# A question about a thing of theirs, which is then all that is kept of it.
_THING = re.compile(
    r"^(?:(?:and|und) )?(?:what(?:'s|s| is| are| was)|which is|wie (?:ist|lautet|lauten)"
    r"|was (?:ist|sind))?\s*"
    r"(?:your|dein\w{0,2}|Ihr\w{0,2}|ihr\w{0,2}) (?P<thing>[^?]{2,70})$"
    r"|^(?:what|which|welche[rs]?) (?P<bare>[\w'-]+ [\w'-]+|(?=[A-ZÄÖÜ])[\w'-]{5,}(?<!Uhrzeit)"
    r"(?<!Seite))(?: (?:do you|hast du|haben sie|trägst du|tragen sie)(?: wear| take| have)?)?$"
    r"|^(?:(?:あなた|お客様)の)?[おご]?(?P<ja>[^はをがに?？]{1,30})は(?:何|なん|いくつ|いつ|どこ|どなた|誰|どちら)?"
    r"(?:番|番号|センチ|サイズ|色|日|月)*(?:ですか|でしょうか)?$"
    r"|^(?:请问)?[你您]的(?P<zh>[^是叫?？]{1,20})是?(?:多少|什么(?:时候)?|几号|哪天|谁|哪[里儿])?$",
    re.IGNORECASE,
)
# What a question and its answer say together: the sentence that somebody would have said.
_SAID = tuple(
    (re.compile(f"(?:{asked})$", re.IGNORECASE), said)
    for asked, said in (
        (r"when(?:'s| is) your (.+)", r"My \1 is {}"),
        (r"when(?:'s| is) the (.+)", r"The \1 is on {}"),
        (r"who(?:'s| is) your (.+)", r"My \1 is {}"),
        (r"where do you (live|work)(?: now)?", r"I \1 in {}"),
        (r"where are you (from|based)(?: now)?", r"I am \1 {}"),
        (r"(?:who|which company) do you work (?:for|at)", "I work for {}"),
        (r"what do you do(?: for (?:work|a living))?", "I work as a {}"),
        (r"how old are you", "I am {} years old"),
        (r"how old(?: is|'s) your (.+)", r"My \1 is {} years old"),
        (r"how tall are you", "My height is {}"),
        (r"how much do you weigh", "I weigh {}"),
        (r"how many (.+) (?:do you have|have you got)", r"I have {} \1"),
        (
            r"(?:what(?:'s| is) your name|what (?:are you called|should i call you))",
            "My name is {}",
        ),
        (r"(?:what )?are you allergic to(?: anything| something)?", "I am allergic to {}"),
        (r"(?:do you have |have you got )?any (?:food )?allergies", "I am allergic to {}"),
        (r"(?:do you have|have you got)(?: any)? (?:pets|kids|children|siblings)", "I have {}"),
        (r"(?:what(?:'s| is)) the name of your (.+)", r"My \1's name is {}"),
        (r"(?:what|which) (?:day|date|time) is your (.+)", r"My \1 is on {}"),
        (r"(?:what|which) (?:city|town|country) (?:are you in|do you live in)", "I live in {}"),
        (
            r"(?:what|which|in what|in which) year were you born(?: in)?|when were you born",
            "I was born in {}",
        ),
        (
            r"(?:what|which) (?:medications?|medicines?|meds)"
            r" (?:are you (?:on|taking)|do you take)",
            "I take {}",
        ),
        (r"how do you (take|like|drink) your (.+)", r"I \1 my \2 {}"),
        (r"how often do you (.+)", r"I \1 {}"),
        (r"when do you (.+)", r"I \1 {}"),
        (r"(?:what|which)(?: \w+){0,3} do you (\w+)(?: most| best)?", r"I \1 {}"),
        (r"wann hast du geburtstag|wann haben sie geburtstag", "Mein Geburtstag ist am {}"),
        (r"wann ist (?:dein|ihr)\w{0,2} (.+)", r"Mein \1 ist am {}"),
        (r"(?:wo|in welcher \w+) (?:wohnst|lebst) du|wo (?:wohnen|leben) sie", "Ich wohne in {}"),
        (r"welche (?:medikamente|tabletten) (?:nimmst du|nehmen sie)", "Ich nehme {}"),
        (r"was (trinkst|isst|magst) du am liebsten", "Am liebsten mag ich {}"),
        (r"wo arbeitest du|wo arbeiten sie", "Ich arbeite bei {}"),
        (r"woher (?:kommst du|kommen sie)", "Ich komme aus {}"),
        (r"wie hei(?:ß|ss)t du|wie hei(?:ß|ss)en sie", "Ich heiße {}"),
        (r"wie hei(?:ß|ss)(?:t|en) (?:dein|ihr)\w{0,2} (.+)", r"Mein \1 heißt {}"),
        (r"wie alt bist du|wie alt sind sie", "Ich bin {} Jahre alt"),
        (r"wie gro(?:ß|ss) bist du|wie gro(?:ß|ss) sind sie", "Meine Größe ist {}"),
        (r"wie viele (.+) (?:hast du|haben sie)", r"Ich habe {} \1"),
        (
            r"(?:wo)?gegen (?:was|etwas)? ?(?:bist du|sind sie) allergisch",
            "Ich bin allergisch gegen {}",
        ),
        (
            r"(?:bist du|sind sie) (?:gegen|auf) (?:irgend)?(?:etwas|was) allergisch",
            "Ich bin allergisch gegen {}",
        ),
        (r"(?:hast du|haben sie)(?: irgendwelche)? allergien", "Ich bin allergisch gegen {}"),
        (r"(?:hast du|haben sie)(?: \w+)? (?:haustiere|kinder|geschwister)", "Ich habe {}"),
        (
            r"was (?:machst du|machen sie) beruflich|was (?:bist du|sind sie) von beruf",
            "Ich bin {} von Beruf",
        ),
        (r"お?名前は.*", "名前は{}です"),
        (r"(?:どこ|どちら)に(?:お住まい|住んで).*|お?住まいは.*", "私は{}に住んでいます"),
        (r"(?:何か)?(?:食べ物の)?アレルギーは.*", "{}アレルギーです"),
        (r"(?:何歳|おいくつ)です.*", "私は{}です"),
        (r"[你您](?:住在?|现在住在?)(?:哪[里儿]?|什么地方).*", "我住在{}"),
        (r"[你您]在哪[里儿]?(?:工作|上班)", "我在{}工作"),
        (r"[你您](喜欢|养了?)(?:什么|哪).*", r"我\1{}"),
        (r"[你您](?:叫什么|怎么称呼).*", "我叫{}"),
        (r"[你您]的(.{1,6})叫什么.*", r"我的\1叫{}"),
        (r"[你您]?(?:对什么|有(?:没有|什么)?).{0,3}过敏.*", "我对{}过敏"),
        (r"[你您](?:今年)?(?:多大|几岁).*", "我{}岁"),
        (r"[你您](?:是)?(?:做什么工作|什么职业).*", "我的职业是{}"),
    )
)
_LINE = re.compile(r"(?P<asked>[^\s:：?？][^:：?？]{1,79})[?？]\s*(?P<answer>[^?？\n]{1,90})")
_NO_THING = re.compile(
    r"(?:what|which|when|where|who|how|why|are|is|do|does|have|has|was|were|can|will|wie|was|wo"
    r"|wann|wer|welche\w*"
    r"|hast|haben|bist|sind|ist|gegen|so|and|really|remember|note|any)\b|.*[はがをに]$|[你您请]",
    re.IGNORECASE,
)
_REMARK = re.compile(r"\s?\([^()]*\)")


def answered(question: str, answer: str) -> str | None:
    """The line that keeps `answer`, a whole message, with what the message before it asked."""
    asked, said = _asked(question), _answer(answer)
    if not asked or not said:
        return None
    line = f"{asked}? {said}"
    is_secret = credentials.mask(f"{asked}: {said}")[0] != f"{asked}: {said}"
    return None if is_secret else line


def sentence_of(line: str) -> str | None:
    """What such a line says, as one who is asked nothing would say it."""
    is_asked = "?" in line or "？" in line
    found = _LINE.fullmatch(_REMARK.sub("", clean(line))) if is_asked else None
    if found is None or not _is_short(found["answer"]):
        return None
    asked, answer = found["asked"].strip(), found["answer"].strip(" .!。！")
    answer = re.sub(r"(?:です|だよ?|ですよ)$", "", answer) or answer
    for pattern, said in _SAID:
        if told := pattern.match(asked):
            begun = _PREPOSITION.match(answer) if _PREPOSITION.search(said) else None
            bare = answer[begun.end() :] if begun else answer
            return told.expand(said).replace("{}", bare)
    return None if _NO_THING.match(asked) else _of_thing(asked, answer)


def _of_thing(thing: str, value: str) -> str:
    if _KANA.search(thing + value):
        return f"{thing}は{value}です"
    if _CJK.search(thing):
        return f"我的{thing}是{value}"
    thing = thing if thing[1:2].isupper() else f"{thing[0].lower()}{thing[1:]}"
    return f"My {thing} is {value}"


def _asked(message: str) -> str:
    text = speech(message)
    found = [one for one in split(text) if _MARK.search(one)]
    if len(found) != 1 or len(_MARK.findall(found[0])) > 1:
        return ""
    asked = unopened(found[0]).rstrip(" ?？。")
    while len(asked) > 3 and (lead := _LEAD.match(asked)):
        asked = asked[lead.end() :]
    is_one = len(asked) <= LONGEST and not _SEVERAL.search(asked)
    if not is_one or _NOTHING.search(asked) or _SECRET.search(asked):
        return ""
    if thing := _THING.match(asked):
        asked = next(one for one in thing.groups() if one)
    return asked[0].upper() + asked[1:] if asked else ""


def _answer(message: str) -> str:
    text = speech(message)
    parts = (text[start:end].strip() for start, end in spans(text))
    text = " ".join(one for one in parts if one and not is_courtesy(one))
    text = _ASIDE.sub("", _YES.sub("", text).rstrip(" .!。！"))
    is_told = _is_short(text) and not _MARK.search(text) and not _EMPTY.match(text)
    return text if is_told else ""


def _is_short(text: str) -> bool:
    if _CJK.search(text):
        return len(text) <= _MOST_SIGNS
    return 0 < len(text.split()) <= _MOST_WORDS
