"""Words behind `support`: what carries nothing, and what turns a sentence. English, German,
Chinese, Japanese; lower case, without apostrophes."""

import re
from pathlib import Path

from memoryweb.language.comparison_words import NEGATIONS, NUMBERS, PAST
from memoryweb.language.tokens import stem


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _turned() -> dict[str, re.Pattern[str]]:
    """By the table beside this file: what turns a sentence, and how."""
    lines = (Path(__file__).parent / "turned.txt").read_text(encoding="utf-8").splitlines()
    rows = [line.split(" = ", 1) for line in lines if line and not line.startswith("#")]
    ways = {name: "|".join(how for other, how in rows if other == name) for name, _how in rows}
    return {name: re.compile(how) for name, how in ways.items()}


_TURNED = _turned()


def turns(normal: str) -> frozenset[str]:
    return frozenset(name for name, how in _TURNED.items() if how.search(normal))


PRONOUNS = _words(
    "it its he hes she shes they theyre this that thats these those mine er sie es das dies diese"
)
FREE = PRONOUNS | _words(
    """you your yours his her him hers user owner person now currently still again about into pm
    can kann but because though although while aber sondern weil obwohl
    called name named will shall going gonna because when please say says said per every what where
    who welche wer wo
    ich du wir ihr mich mir dich dir ihn ihm uns euch ihnen der die den dem des ein eine einen einem
    einer eines mein meine meinen meinem meiner meines dein deine sein seine seinen seinem seiner
    ihre ihren ihrem ihrer unser unsere unseren unserem unserer und auch noch schon jetzt
    jeden jede ist sind bin war waren sei hat habe haben hatte hatten wird werden wurde am an auf
    bei beim zu zum zur
    mit für um als dass da dort hier sich wie von heisst heissen uhr nutzer nutzerin bitte gerade"""
)
DENIED = (NEGATIONS - _words("stopped quit")) | _words(
    """without except hardly rarely seldom barely scarcely dont
    nicht nichts nie niemals niemand kein keine keinen keinem keiner keines
    ohne ausser selten kaum weder keinesfalls keineswegs"""
)
# With a denial they say that it was so once.
LONGER = _words("longer anymore mehr")
ENDED = _words(
    """stopped stop quit cancel cancelled canceled cancels ended former formerly ex
    abgesagt storniert aufgehört vorbei ehemalig ehemalige ehemaliger"""
)
HEDGED = _words(
    """if unless maybe perhaps probably might could would want wants wanted hope hopes wish wishes
    consider considering try tries trying tried supposed think thinks guess
    wollte wollten wenn falls vielleicht vermutlich wahrscheinlich würde könnte möchte hoffe hofft
    überlege"""
)
CONDITION = re.compile(
    r"\b(?:if|unless|in case|suppos(?:e|ing)|assum(?:e|ing)|provided)\b"
    r"|\b(?:wenn|falls|sofern|angenommen|gesetzt den fall)\b|^say (?:i|he|she|we|they)\b"
    r"|^(?:had|were|should|sollten?|hätten?|wären?) \w+ [^?]*$"
    r"|\b(?:as soon as|sobald)\b|^after\b.*\b(?:will|['’]ll)\b|^once \w+ \w+s?\b.*,"
    r"|^(?:except|apart from|as long as|außer|solange)\b"
    "|除了|要不是|如果|要是|假设|假設|假如|もし|万一|仮に|^等.*[，就]|なければ|すれば",
    re.IGNORECASE,
)
# Of a clause that begins anew.
JOINS = "(?:and|but|so|because|though|although|while|und|aber|also|sondern|weil|obwohl)"
# How a question begins: about whether it is so, and about what is taken for so.
ASKS = re.compile(
    r"(?:(?:do|does|did|is|are|was|were|am|can|could|should|shall|will|would|have|has|had|may"
    r"|might|ist|sind|war|waren|hast|hat|habt|kann|kannst|soll|wird|wirst)(?:nt|t)?\b"
    r"|\w+ (?:du|ihr|sie)\b)"
)
ASKS_WHAT = re.compile(r"(?:who|what|where|when|why|how|which|whose|wer|wie|wo|wann|warum)\b")
# An answer by itself, before what else is said.
REPLY = re.compile(
    r"\W*(?:(?P<no>no|nope|nein|nee|不是?的?|没有|いいえ|いや)|yes|yeah|yep|ja|doch|是的?|对的?|はい|ええ|うん)"
    r"(?:$|\s*[,，、.。!！;；–—]\s*)",
    re.IGNORECASE,
)
_GERMAN_NUMERALS = (
    *("zwei", "drei", "vier", "fünf", "sechs", "sieben"),
    *("acht", "neun", "zehn", "elf", "zwölf"),
)
NUMERALS = NUMBERS | {word: str(n) for n, word in enumerate(_GERMAN_NUMERALS, 2)}
CJK_DENIED = re.compile(
    "[不没沒未勿]|[無无](?![事理料论論])|别(?!人)|(?<!しか)ない|なかった|ません|なく|ずに|嫌|讨厌|討厭|きらい|苦手"
)
CJK_ENDED = re.compile("取消|取り消|中止|キャンセル|结束|結束|終わ|やめ|辞め|戒")
CJK_HEDGED = re.compile(
    "如果|要是|也许|可能|大概|打算|希望|想要?|もし|かも|たぶん|でしょう|つもり|たい"
)
CHANGED = re.compile(
    r"\b(?:now|moved|changed|instead|misread|wrong|correction|actually|jetzt|verschoben|geändert"
    "|statt|korrektur)\\b|改|变|勘違い|間違|変わ|変え|なりました"
)
# Whoever speaks does it; else somebody who is named first.
OWN = re.compile(r"\b(?:i|im|ive|id|ill|we|were(?! you| they)|weve|ich|wir)\b|[私僕俺]は")
CJK_OWN = re.compile("[我私僕俺]")
SOMEBODY = re.compile(
    r"(?i:my|our|an?|the|mein\w*|unser\w*|d(?:er|ie|as)|eine?) \w+"
    r" (?:of|for|in|at|from|with|von|für|im|mit|bei) (?P<part>(?!mine\b|mir\b|ours\b|uns\b)[^,;]+?)"
    r" (?:is|are|was|were|has|had|costs?|ist|sind|war|hat|hatte)\b|"
    r"(?i:my|our|an?|the|mein\w*|unser\w*|d(?:er|ie|as)|eine?)"
    r" (?P<whose>(?!d(?:er|ie|as|en|em)\b)\w+(?:-in-law)?(?: [A-ZÀ-Þ]\w+)?)"
    r"|(?!(?:The|That|This|Next|Last|Today|Tomorrow|Yesterday|Remember|Please|D[aei]\w|A[mnt]|I[mn]|On|For"
    r"|After|Zu[rm]?|Bei|Heute|Morgen"
    r"|Gestern|Bitte)\b)(?P<name>[A-ZÀ-Þ]\w+(?: [A-ZÀ-Þ]\w+)?)"
    r"(?:['’]s \w| (?!(?:at|and|mit|bis|als|seit)\b)"
    rf"(?:can|will|mag|{'|'.join(sorted(PAST))}|[a-zß-ÿ]+(?:s|t|d|n['’]t))\b)"
    "|(?:我的?|私の|うちの)?(?P<kin>[妹弟姐哥妈爸母父姉兄夫妻]|老[公婆]|儿子|女儿|孩子|太太|丈夫|爷爷|奶奶|兒子"
    r"|女兒|息子|娘|奥さん|主人|祖[父母]|子供|同[事僚]|朋友|友達"
    r"|[老小阿][一-鿿]|[一-鿿]{1,4}(?:先生|女士|小姐)|[^\W\d]{1,8}?(?:さん|くん|君|ちゃん|様))"
)
# Who it is of where no list knows them: before は or が, else what a Chinese clause begins with.
CJK_DOER = re.compile(
    r"(?P<marked>(?![今昨明]日)[^\s\dはがをにでの、]{2,8})[はが]|(?P<first>(?![今昨明前后後来][天日年週周月])[㐀-鿿]{2})(?=[^぀-ヿ]*$)"
)
# Clauses of somebody who was named before.
THIRD = re.compile(r"\s*(?:(?:he|she|er|sie)s?|who)\b|[他她彼]")
BEING = _words("am im is are was were be been being theyre hes shes isnt")
HAVING = _words("have has had ive hes shes weve")
MAY = _words("will ill would can could do does did shall may must id well")
GERMAN_AUX = _words("habe hab hat haben hatte hatten bin ist sind war waren wurde wurden")
# Words before an "I" that nothing hangs on, by the first of them.
SETTING = _words(
    """in on at for with to of by as and or so then here there well today now again also
    given please remember
    after before during since until from about around one once when while yesterday today
    tonight tomorrow last next every this these soon later sometimes"""
)
RELATIVE = _words("that which who whose")
GERMAN_MAY = _words("will wollen kann können muss müssen soll sollen darf dürfen lass")
GERMAN_OWN = _words("ich wir")
PARTICIPLE = re.compile(r"\w*(?:ge|be|ver|er|ent|zer)\w{2,}(?:t|en)")
ME = re.compile(r"\b(?:me|mich|mir|us|uns)\b")
DONE_TO = re.compile(r"\b(?:was|were|been|got|get|by|from|with|wurde\w*|von|mit)\b")
OWNED = re.compile(
    r"(?:(?i:my|our|the|mein\w*|unser\w*) )?\w+['’]s (?P<en>\w+)"
    r" (?:is|are|was|were|has|had|will|can|ist|war|hat|[a-z]+(?<!hi)s)\b"
    r"|[A-ZÄÖÜ]\w+s (?P<de>Mann|Frau|Mutter|Vater|Bruder|Schwester|Sohn|Tochter|Chef|Freund|Kind)"
)
OWNS = re.compile(
    r"(?P<by>\w+?)(?:['’]s|s['’]) (?P<its>\w+)"
    r"|(?P<thing>[A-ZÄÖÜ]\w+) (?:(?:mein|unser)e[rs]|des) (?P<of>[A-ZÄÖÜ]\w+)"
    r"|\b(?:for|für) (?:the|my|our|den|die|das|mein\w*|unser\w*) (?P<use>\w+)"
    r"|(?P<no>[^\s\d我私僕俺はがをにでの、。]{1,8})の(?P<wa>[^\sはがを、。]{1,8})[はが]"
)
# What carries nothing, and what leans on the sentence before.
CJK_FREE = (
    re.compile(
        "用户|予定|ほしい?|くらい|という|使用者|ユーザー|本人|彼女|我们|他们|私たち|[的了是在和也就都很地得着我你您他她它们"
        "私僕俺彼はがをにへでとのもよねたすまだるてっんい]|でし|まし|して|する|した|さん|こと|から|なっ"
    ),
    ("它", "他", "她", "这", "那", "それ", "これ", "彼"),
)
# Different words for one thing; by their stems.
_GROUPS = """live lives lived living move moves moved moving reside dwell
|like love loves enjoy adore|have own|kid child children|mum mom mother|dad father|go goes went gone
|fly flies flew flight flights
|buy bought|eat ate eaten|take took taken
|see saw seen|get got|teach taught|meet met|leave left|begin began begun start
|nehme nimmt nehmen|fliege fliegt fliegen flug|mag mögen gern gerne|esse isst essen
|fahre fährt fahren|spreche spricht sprechen|lese liest lesen
|trage trägt|ziehe zog gezogen wohne wohnt wohnen lebe lebt leben umgezogen"""
SAME = {
    form: group.split()[0]
    for group in _GROUPS.split("|")
    for word in group.split()
    for form in {word, stem(word)}
}
# What is done may be left out where it is plain ("I bought a bike", "has a bike").
PLAIN = frozenset(
    SAME.get(form, form)
    for word in _words(
        """live move work have get buy adopt use keep visit meet love like enjoy hate start begin
        come go take eat drink play study teach speak drive ride walk run see read stay call bring
        give need lie sit stand liege lieg sitze stehe angemeldet sagen sage erzählen merk denk
        erinnere weisst freue froh schade wichtig schön wohne
        lebe arbeite kaufe gekauft besuche besucht esse trinke nehme fahre gehe geht
        spiele lerne spreche liebe mag kenne treffe getroffen bekommen geworden gezogen umgezogen
        gehört"""
    )
    for form in {word, stem(word)}
)

# Between whoever does something and the verb, beside fillers and words in -ly.
ADVERBS = frozenset(
    [
        "again",
        "already",
        "all",
        "always",
        "both",
        "each",
        "even",
        "ever",
        "never",
        "now",
        "often",
        "once",
        "rather",
        "seldom",
        "sometimes",
        "soon",
        "still",
        "today",
        "twice",
    ]
)
