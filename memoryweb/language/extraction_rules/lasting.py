"""Whether something ends, by what is meant: a meeting is over after its day, what begins on a day
lasts from then on, a birthday comes again. All languages in one table each. Pure."""

import re

_BEGIN = (
    r"(?:start(?:s|ed|ing)?|beg(?:in(?:s|ning)?|an|un)|join(?:s|ed|ing)?|becom(?:es?|ing)|became"
    r"|mov(?:es?|ed|ing)|born|marr(?:y|ies|ied|ying)|switch(?:es|ed|ing)?|retir(?:es?|ed|ing)"
    r"|takes? over|taking over|took over|adopt(?:s|ed|ing)?|enrol\w*|sign(?:s|ed|ing)? up"
    r"|open(?:s|ed|ing)?|(?:get|gets|got|getting|pick(?:s|ed|ing)?)(?: up)? (?:the|my|our) keys"
    r"|fange?n?|fängt|fing(?:en)?|anfange?n?|angefangen|anzufangen|beginne?n?|beginnt|begann(?:en)?"
    r"|begonnen|starte[nt]?|startet|zieh(?:e|en|t)?|zog(?:en)?|(?:um|ein|weg|aus)?gezogen"
    r"|(?:um|ein|weg)zieh\w*|geboren|heirate[nt]?\w*|geheiratet|wechs\w+|gewechselt|übernehm\w*"
    r"|übernimmt|übernommen|eröffn\w+)"
)
_CJK_BEGIN = (
    r"始[まめ]|開始|入社|入学|入園|入居|就職|転職|転勤|転校|異動|引っ?越|移り住|生まれ|結婚"
    r"|にな(?:る|り|っ)|开始|入职|入学|入住|加入|成为|当上|出生|结婚|上任"
    r"|接手|搬|转[岗学行]|换成"
)
_BEGINS = re.compile(rf"\b{_BEGIN}\b|{_CJK_BEGIN}", re.IGNORECASE)
_BEGAN = re.compile(
    r"\b(?:started|began|begun|joined|became|moved|born|married|switched|retired|adopted|enrolled"
    r"|signed|opened|got|picked|took|fing(?:en)?|an?gefangen|begann(?:en)?|begonnen|zog(?:en)?"
    r"|\w*gezogen|geboren|geheiratet|gewechselt|übernommen|eröffnet)\b"
    r"|(?<=[まめし転入居越れっ])[たっ]|した|(?:入职|加入|搬|成为|当上|出生|结婚|开始|到\w+)了",
    re.IGNORECASE,
)
_EVENT = (
    r"(?:appointments?|appts?|meetings?|calls?|interviews?|exams?|tests?|flights?|trains?|trips?"
    r"|journeys?|holidays?|vacation|visits?|part(?:y|ies)|dinners?|lunch|brunch|barbecue|bbq"
    r"|concerts?|gigs?|match|games?|race|marathon|parkrun|conferences?|workshops?|webinars?"
    r"|weddings?|funerals?|christening|festivals?|deadlines?|orders?|deliver(?:y|ies)|offers?"
    r"|sale|viewings?|inspections?|surgery|operation|scans?|check-?ups?|dentist|physio|haircut"
    r"|launch|release|demo|presentation|ceremony|graduation|reunion|recital|rehearsal|events?|outing|rounds?"
    r"|\w*termine?s?|\w*treffen|\w*besprechung|besuch|prüfung|klausur|flug|reise|ausflug|urlaub"
    r"|\w*feier|fest|hochzeit|beerdigung|taufe|konzert|spiel|rennen|konferenz|tagung"
    r"|frist|abgabe|bestellung|lieferung|angebot|besichtigung|operation|mrt|untersuchung|vorstellung"
    r"|vorstellungsgespräch|zahnarzt|friseur|premiere|aufführung|probe|umtausch|abgabetermin)"
)
_CJK_EVENT = (
    r"会議|面接|試験|テスト|予約|出張|旅行|飛行機|フライト|訪問|飲み会|パーティー?|食事会|コンサート"
    r"|ライブ|試合|大会|マラソン|結婚式|葬式|葬儀|締め?切り?|期日|注文|配達|納品|発表|検査|手術|健診"
    r"|歯医者|病院|美容院|面談|打ち合わせ|ミーティング|イベント|祭り|花火|卒業式|入学式|内見"
    r"|会议|开会|面试|考试|预约|出差|旅游|旅行|航班|飞|拜访|聚会|聚餐|演唱会|音乐会|比赛|马拉松"
    r"|婚礼|葬礼|截止|交稿|交房租|订单|快递|送货|发布会|体检|手术|看牙|看病|复查|典礼|活动"
)
# What somebody does on one day, or has to have done by then.
_ONCE = (
    r"\b(?:fly(?:ing)?|flies|travel\w*|visit(?:s|ing)?|see(?:s|ing)?|meet(?:s|ing)?"
    r"|attend\w*|arriv\w+|stay(?:s|ing)?|(?:this|next) week"
    r"|due|(?:need|needs|have|has|had|got) to|must|flieg\w*|reis\w*|besuch\w*|treff\w*|triff\w*"
    r"|muss|müssen|fällig)\b"
    r"|行[くきっ]|行[こか]|会[うい]|訪ね|帰省|しなければ|しないと|なきゃ|去(?!年)|见面|得(?=[交去办])|要交"
)
_OF_ITSELF = re.compile(rf"\b{_EVENT}\b|{_CJK_EVENT}|{_ONCE}", re.IGNORECASE)
_INTENDED = re.compile(
    r"(?:\b(?:will|shall|going to|gonna|wants?|plan\w*|hop\w+|werde\w*|wollen|next)|['’]ll)\b"
    r"|つもり|たい|打算|想要?",
    re.IGNORECASE,
)
_MY = r"(?:the|my|our|a|an|das|der|die|den|ein\w{0,2}|mein\w{0,2}|unser\w{0,2})"
# The meeting itself begins, or is moved to another day.
_EVENT_BEGINS = re.compile(
    rf"\b{_EVENT}(?:['’]s)?(?: (?:is|are|was|were|will|has|have|had|got|been|being|now|wird"
    rf"|wurde|ist))* {_BEGIN}\b"
    rf"|\b{_BEGIN} {_MY} (?:\w+ )?{_EVENT}(?=$|\W(?!\w)| (?:on|to|at|from|am|auf|um|in)\b)"
    rf"|(?:{_CJK_EVENT})[^、。，,]{{0,8}}(?:{_CJK_BEGIN})",
    re.IGNORECASE,
)
_AT = re.compile(
    r"\d{1,2}[:.]\d\d(?!\d)|\d ?[ap]\.?m\b|\bo'?clock\b|\bnoon\b|\d ?uhr\b|\d{1,2}[時点點]",
    re.IGNORECASE,
)
_YEARLY = re.compile(
    r"\b(?:(?:birthday|bday|b-day|anniversary)(?! (?:\w+ )?(?:part(?:y|ies)|dinner|lunch|trip|do\b"
    r"|bash|drinks|meal|brunch))|turn(?:s|ing)? \d+|name ?day|renews?|\w*geburtstag\b"
    r"|(?:\w+ )?hochzeitstag|\w*jahrestag|namenstag|wird \d+(?: jahre)?(?=$|[,.;!]))"
    r"|誕生日(?!会|パーティ)|記念日|命日|\d歳になる|生日(?!会|派对|聚|宴)|纪念日|忌日",
    re.IGNORECASE,
)
_CLAUSE = re.compile(
    r"[;.!?–—。；！？](?!\d)|[,、，](?! ?(?:at )?\d)|\b(?:and|but|before|after|when|because|so|und"
    r"|aber|bevor|nachdem|weil|denn)\b",
    re.IGNORECASE,
)
_LONGEST = 200  # characters of a clause, on either side


def begins(text: str) -> bool:
    """What lasts from its day on: a job, a home, a marriage, but no meeting."""
    return bool(_BEGINS.search(text)) and not _EVENT_BEGINS.search(text)


def began(text: str) -> bool:
    """It has begun: the weekday that it names lies behind."""
    return bool(_BEGAN.search(text))


def ends_by_itself(text: str) -> bool:
    """Something of one day: an event, something due, what somebody does at a given hour, or what is
    settled. What somebody means to do may leave something behind; what is next comes again."""
    return bool(_OF_ITSELF.search(text) or _AT.search(text) or not _INTENDED.search(text))


def is_yearly(text: str) -> bool:
    return bool(_YEARLY.search(text))


def clause_at(text: str, start: int, end: int) -> tuple[int, int]:
    """The clause around a part of the text."""
    least, most = max(0, start - _LONGEST), min(len(text), end + _LONGEST)
    first = max((cut.end() for cut in _CLAUSE.finditer(text, least, start)), default=least)
    last = _CLAUSE.search(text, end, most)
    return first, last.start() if last else most
