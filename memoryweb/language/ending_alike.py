"""What only looks like a change, whatever else it says: for a while, once, beside something, as
ever, planned and dropped, wished, asked, quoted, in jest, long ago, or somebody else's. Pure.

Rules decide by the clause (`ending_cues`); this is asked of all that a model cites."""

import re

_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_KIN = (
    "(?:brother|sister|mum|mom|dad|father|mother|son|daughter|kid|youngest|eldest|mate|friend"
    "|cousin|aunt|uncle|neighbour|neighbor|colleague)s?"
)
_KIN_DE = (
    "(?:bruder|schwester|vater|mutter|papa|mama|sohn|tochter|oma|opa|nichte|neffe|onkel|tante"
    r"|cousine?|nachbar\w*|kolleg\w*|freund(?:in)?|kumpel)"
)
_ALIKE = re.compile(
    # for a while, or once
    rf"\b(?:this (?:whole )?(?:week|weekend|month)|(?:just )?this once|just today|until {_DAY}"
    rf"|(?:back|returning|home)(?: on)? {_DAY}|{_DAY} back|for (?:a|two|three|\d+) (?:days|weeks)"
    r"|\w+ days in|on holiday|normal service|usual again"
    r"|diese[nrs]? (?:woche|wochenende|monat|montag|dienstag|mittwoch|donnerstag|freitag)"
    r"|ausnahmsweise|nur heute|heute? beim|nächste woche wieder|wieder normal"
    r"|(?:über|für) (?:pfingsten|ostern|weihnachten|silvester|das wochenende|ein paar)"
    r"|(?:ein|zwei|drei|vier|\d+) (?:tage|wochen) (?:lang|da|hier)"
    # beside something, or as ever
    r"|second (?!hand)|next to (?:the|my)|on top$|as (?:ever|usual|before)|same as|as you were"
    r"|kept (?:the|my|it)|you know (?:how|i)|(?:too|as well)(?=[,.!]|$)"
    r"|zweite[rnms]?|zwoa|noch (?:eine?n?|ne|nen|a)\b|obendrauf|dazugekommen|zusätzlich"
    r"|bleibt alles|alles beim alten|wie eh und je|du weißt"
    # planned and dropped, wished, asked
    r"|(?:was|were) (?:going|about) to|slept on it|put me off|changed my mind|would (?:love|like)"
    r"|suppose|what if|fantas\w+|what would|how would|do people|anyone|just asking|a \w+ can dream"
    r"|wollte? ja|wollte? (?:mir|die|den|das)|hab.* es gelassen|doch (?:abgesagt|nicht gemacht)"
    r"|angenommen|gedankenspiel|rein theoretisch|träumen|lohnt sich|kann man|was kostet"
    # quoted, in jest, long ago
    r"|april(?:,| fools?)|send help|proofread|translate|rewrite|rephrase"
    r"|the old (?:firm|days)|at (?:his|her|my) age|just like i used|vor \w+ jahren"
    r"|mit (?:1\d|sechzehn|siebzehn)\b|früher|ehemalig\w*|übersetz\w*|korrigier\w*"
    # somebody else's
    rf"|(?:my|our) {_KIN}(?:'s| has| is| got| quit| left| moved| and (?:his|her|their)\b| \w+ed\b)"
    rf"|(?:mein|unser)e? \w*{_KIN_DE} (?:hat|ist|zieht|geht|wird|macht))\b"
    r"|(?:^|: ?)['\"„“«「『][^'\"]+['\"“”»」』]|[「『][^」』]+(?:ました|です|ます)。?[」』]"
    r"|[😂🤣]|\bhaha\b"
    r"|今[週月]だけ|今週はずっと|特別に|明日まで|\d日目|いつも(?:どおり|通り)|このままで"
    r"|(?:の|た)まま(?:$|。)|離れられ|手放(?:さ|しませ)|交互に|ついでに|でも\d時間だけ|もう[一二]"
    r"|下の子も|[妹弟]分|英訳|和訳|敬語に|添削|エイプリル|乗らない|もし|仮に|としたら|たらの話"
    r"|やってみたい|かな。?$|昔は|元同僚|小学校のとき|思い出|(?:だ|る|た)って(?:$|[。、])"
    r"|らしい|らしく|そうです。|どうなんでしょう|なん?いくら"
    r"|(?:弟|妹|兄|姉|母ちゃん|母|父|親友|友達|同僚|先輩)(?:の[^、。]{1,4})?が",
    re.IGNORECASE | re.MULTILINE,
)


def looks_alike(text: str) -> bool:
    return bool(_ALIKE.search(text))
