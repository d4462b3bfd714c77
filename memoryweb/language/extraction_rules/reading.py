"""From a sentence to what it claims."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache

from memoryweb.language.extraction_rules import lasting, model, remembering
from memoryweb.language.extraction_rules.model import language
from memoryweb.language.extraction_rules.relative_dates import is_habit, span_of
from memoryweb.language.extraction_rules.short_answers import sentence_of
from memoryweb.language.extraction_rules.speakers import is_common
from memoryweb.language.normal_form import clean, normalise, read
from memoryweb.language.sentences import plain, split, unquoted

LONGEST = 2_000  # characters that are looked at
_LONGEST_SENTENCE = 600  # no one speaks in longer ones
_LONGEST_VALUE = 80
LABEL = re.compile(
    r"^(?:\*\*(?P<bold>[^*\n]{1,60}?):?\*\*\s*[:：]?"
    r"|(?P<plain>[^\W\d_][^:：.!?。！？\n]{0,39})[:：](?=\s))"
    r"\s*(?P<value>\S.*)$"
)
_SPEAKER = re.compile(
    r"^(?:[A-ZÀ-Þ][\w'’.-]*(?: [A-ZÀ-Þ][\w'’.-]*){0,2}|[\u3040-\u30ff\u3400-\u9fff]{1,8})$"
)
_NO_LABEL = re.compile(
    r"\d|\b(?:is|are|was|were|ist|sind)\b|^(?:(?:i|we|ich|wir)\b.{3}"
    r"|change of plan|remember|don't forget|merk|write|draft|translate|schreib|formulier|denk|note"
    r"|save|记|請?覚え)"
    r"|\bkorrektur\b|\b(?:said|says|wrote|asked|told|correction|answer|remember"
    r"|korrektur|update|note|reminder|todo|fyi|actually|warning|example|https?|check|ps)$"
    r"|さん$|说$|說$|记一下$|覚えておいて$",
    re.IGNORECASE,
)
_KANA = re.compile(r"[\u3040-\u30ff]")
_HAN = re.compile(r"[\u3400-\u9fff]")
_GERMAN = re.compile(
    r"\b(?:ich|wir|mein\w{0,2}|unser\w{0,2}|und|der|die|das|den|dem|ist|sind|nicht|ein|eine|einen"
    r"|einem|am|im|zum|zur|mit|auf|für|hab|habe|haben|hat|bin|bitte|kein\w{0,2}|nach|von|bei|jetzt"
    r"|uhr|ab|wird|es|sich|auch|net|du|dir|mir|ohne|seit|immer|nur|noch|schon|beim|vom|des|dass|wenn|aber|wohne?|arbeite|esse|trinke|nehme?|lerne|spiele|fahre|gehe|zahle|lebe)\b|[äöüß]",
    re.IGNORECASE,
)
_ENGLISH = re.compile(
    r"\b(?:i|i'm|we|my|our|the|and|is|are|was|not|of|to|with|for|it|it's|he|she|they|from|have|has"
    r"|had|at|on|you|don't|that|this|im|be|by|will|called|every|always|no|\w+n't|\w+'s)\b",
    re.IGNORECASE,
)
# One attribute, however it is called.
_SAME = {
    **dict.fromkeys(
        ("wife", "husband", "girlfriend", "boyfriend", "fiance", "fiancé", "fiancée", "frau"),
        "partner",
    ),
    **dict.fromkeys(("mann", "freund", "freundin", "妻", "夫", "嫁", "老公", "老婆"), "partner"),
    **dict.fromkeys(("manager", "chef", "chefin"), "boss"),
    **dict.fromkeys(("arbeitgeber", "勤務先", "勤め先"), "employer"),
    **dict.fromkeys(("朝ごはん", "朝ご飯", "朝飯"), "朝食"),
    **dict.fromkeys(("morning thing", "go to morning drink"), "morning drink"),
    **dict.fromkeys(("bday", "b day", "geburtstag", "生日", "誕生日"), "birthday"),
    **dict.fromkeys(
        ("phone", "number", "mobile", "cell", "mobile number", "telefon"), "phone number"
    ),
}
_GENERIC = re.compile(
    r"^(.+?)(?: (?:appointment|appt|session|lessons?|class|classes|meeting|practice|training|exam"
    r"|termin)|(?<=[a-zäöüß]{4})s?termin|の(?:曜日|時間|日程|日時|予約|レッスン|教室|授業))$"
)
_ARTICLE = re.compile(
    r"^(?:(?:i|we|my|our|the|a|an|next|new|weekly|this|(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|mein\w*|unser\w*|der|die|das|den|dem|neue\w?|his|her|their|is|and|ok|so|oh)\s+)+|^(?:我们?的?|我家的?|うちの|俺の|私の|僕の|这个?|那个?|この|その)",
    re.IGNORECASE,
)
_HELD = re.compile(r"^(?P<who>[A-ZÀ-Þ][\w-]*(?: [A-ZÀ-Þ][\w-]*)?)['’]s (?P<what>\w.*)$")
_POSSESSIVE = re.compile(r"['’]s?(?=\s|$)")
_NOT_ONE = re.compile(  # several things may be a favourite thing
    r"^(?:favou?rite|fave|when|passion)$"
    r"|^(?:favou?rite|fave) (?:\w+ )?(?:things?|parts?|one|memory|way|time)$"
)
_AUXILIARY = re.compile(
    r"(?: (?:is|are|was|were|has|have|been|will|be|got|on|at|for|now|always|ist|sind|wird|wurde))+$"
)
_OWNER = re.compile(r"^(?:给?[我俺](?:们|家)?的?|咱们?的?|(?:私|俺|僕|うち|自分)(?:たち)?の)(?=.)")
_NO_PLACE = re.compile(
    r"^(?i:marketing|sales|support|engineering|finance|hr|it|product|design|operations|legal|research"
    r"|linux|windows|slack|python|rust|java|vim|emacs|postgres|mysql|sqlite|django|docker|kubernetes"
    r"|jira|teams|zoom|notion|excel|part|full|mac|github|gitlab|aws|azure)\b|[a-z][A-Z]"
)
_REMARKS = re.compile(r" ?\([^()]*\d{4}[^()]*\)")  # a resolved date is no part of a value
_BARE = re.compile(
    r"(?:[\W_]|\b(?:this|that|it|these|me|you|can|could|something|for|please|das|dies|es|dir|was"
    r"|folgendes|bitte|mal|kannst|du)\b|これ|それ|を|も|は|ね|这个|这|那|下面|帮我|请|一下)*$",
    re.IGNORECASE,
)
_NAMED = re.compile(r"(?<=\w )[A-ZÀ-Þ][\w'’-]+|\b(?i:my|our|mein\w*|unser\w*) \w")
_TOPIC = re.compile(r"[はがも]|って|[私僕俺]|わたし|うち|自分|ぼく")
_TRAIT = re.compile(
    r"(?:名前|年齢|種類|性格)は|(?:もう|まだ|今)?[\d一二三四五六七八九十]{1,3}[歳才](?!の)"
)
_NAMES_ITSELF = re.compile(
    r"^\W*(?:this|that|it|das|es|dies)(?:'s| is| ist|s) (?:my|our|mein\w*|unser\w*)\b",
    re.IGNORECASE,
)
_HERE = frozenset({"here", "there", "hier", "dort"})
_PLACE = re.compile(r"[A-ZÀ-Þ][\w'’-]{2,}(?: [A-ZÀ-Þ][\w'’-]+)*")
_OVER = frozenset({model.Act.CANCELS, model.Act.ENDS})
_Found = tuple[model.Row, re.Match[str]]
_PASSING = frozenset({model.Kind.EVENT, model.Kind.OTHER})
_STAYING = frozenset(
    {
        model.Kind.IDENTITY,
        model.Kind.HEALTH,
        model.Kind.RELATION,
        model.Kind.PREFERENCE,
        model.Kind.INSTRUCTION,
    }
)


@dataclass(frozen=True)
class Sentence:
    """A sentence with what is known of it beside its claim. It `leans` when it is said of what the
    one before names, and `is_lost` without it when it only speaks of that ("this instrument");
    one that `is_unnamed` speaks of somebody ("how they helped us") whom it doesn't name."""

    claim: model.Claim
    language: model.Language | None
    text: str  # as it is read
    leans: bool = False

    @property
    def is_lost(self) -> bool:
        return bool(self.language and self.language.lost.search(self.text))

    @property
    def is_unnamed(self) -> bool:
        return bool(self.language and self.language.unnamed.search(self.text))

    @property
    def needs_other(self) -> bool:
        """It says who or what it is of by a word for somebody named before: no correction, no
        instruction and nothing that was asked to be remembered."""
        is_change = self.claim.act is model.Act.CHANGES and is_pronoun(self.claim.subject)
        is_plain = self.claim.act is model.Act.STATES or is_change
        is_order = self.claim.kind is model.Kind.INSTRUCTION
        return self.leans and is_plain and not is_order and not _NAMES_ITSELF.match(self.text)

    def drops_topic(self, before: model.Claim) -> bool:
        """In Japanese what was named before is left out, or only its name or age is told."""
        if not _KANA.search(self.text):
            return False
        is_same = bool(before.subject) and not self.claim.subject and not _TOPIC.search(self.text)
        return is_same or bool(_TRAIT.match(self.text))

    @property
    def is_question(self) -> bool:
        if self.language is None:
            return self.text.rstrip().endswith(("?", "？"))
        return asks(self.text, self.language)

    @property
    def is_joke(self) -> bool:
        """And so is what was said just before."""
        return bool(self.language and self.language.jokes.search(self.text))

    @property
    def is_request(self) -> bool:
        """ "Remember this.", and no word of what."""
        asked = self.language.asks.search(self.text) if self.language else None
        if asked is None:
            return False
        return bool(_BARE.match(self.text[: asked.start()] + self.text[asked.end() :]))


@lru_cache(maxsize=16_384)
def claim_of(text: str, said: date | None = None) -> model.Claim:
    """Of one statement as it stands in a file, or of what somebody says in a sentence or two;
    `said` tells the year of a date that is given without one."""
    line = clean(text)[:LONGEST]
    if told := sentence_of(line):
        return replace(spoken_of(told, said).claim, general=False)
    label = LABEL.match(line)
    if label and not _NO_LABEL.search(label["bold"] or label["plain"] or ""):
        return _labelled(label, said)
    sentences = split(line)
    claims = [spoken_of(sentence, said).claim for sentence in sentences]
    found = max(claims, key=_weight, default=model.Claim())
    if found.valid_to and any(_stays(one) for one in claims if one.valid_to is None):
        found = replace(found, valid_to=None)
    found = replace(found, valid_to=remembering.last_day(line, said) or found.valid_to)
    if found.value.casefold() in _HERE:  # "Eau Claire! We live here now."
        named = _PLACE.findall(" ".join(sentences[: claims.index(found)]))
        return replace(found, value=named[-1] if named else found.value)
    return found


@lru_cache(maxsize=4_096)
def all_of(text: str) -> tuple[model.Claim, ...]:
    """Every claim that a row finds in it."""
    text = plain(text[:LONGEST])
    return tuple(one for spoken in languages_of(text) for one in _claims(text, spoken))


def instructs(text: str) -> bool:
    """It says how its person wants to be answered, whatever else it says."""
    return any(one.kind is model.Kind.INSTRUCTION for one in all_of(text))


def name_before(text: str) -> str:
    """Of a line "Alice: I live in Leeds." that name with its sign; empty where it names nobody."""
    label = LABEL.match(text)
    name = (label["plain"] if label else "") or ""
    is_name = _SPEAKER.match(name) and not _NO_LABEL.search(name)
    return text[: label.start("value")] if label and is_name else ""


def _labelled(label: re.Match[str], said: date | None) -> model.Claim:
    """`key: value`, or a name and what that person says."""
    key, value = label["bold"] or label["plain"], label["value"]
    value = sentence_of(value) or value
    found = claim_of(value, said)
    speaks = any(one.own.search(value) for one in languages_of(value))
    if not label["bold"] and (found.durable or speaks):
        is_name = _SPEAKER.match(key) and not is_common(found, value)
        return replace(found, subject=found.subject or (normalise(key) if is_name else ""))
    attribute = _attribute(key)
    return replace(
        found, attribute=attribute, subject="", value=value[:_LONGEST_VALUE], durable=True
    )


def _weight(claim: model.Claim) -> tuple[bool, ...]:
    has_key = claim.key is not None or bool(claim.old)
    return claim.durable, not claim.general, has_key, claim.kind is not model.Kind.OTHER


def is_pronoun(subject: str) -> bool:
    """It names nobody without the sentence before."""
    return any(subject in model.pronouns(name) for name in model.LANGUAGES)


def languages_of(text: str) -> tuple[model.Language, ...]:
    """The one that it is in; both where English and German are as likely."""
    if _KANA.search(text):
        return (language("japanese"),)
    if _HAN.search(text):
        return (language("chinese"),)
    german, english = len(_GERMAN.findall(text)), len(_ENGLISH.findall(text))
    if german != english:
        return (language("german" if german > english else "english"),)
    both = (language("english"), language("german"))
    return both if english or text.isascii() else ()


def spoken_of(sentence: str, said: date | None = None) -> Sentence:
    found = undated(sentence)
    return replace(found, claim=_dated(found.claim, sentence, said))


@lru_cache(maxsize=16_384)
def undated(sentence: str) -> Sentence:
    """Read once, whenever it was said."""
    if not (read_as := [_spoken(*one) for one in _read_as(sentence)]):
        return Sentence(model.Claim(), None, _bare(sentence))
    found = max(read_as, key=lambda one: (one.claim.durable, not one.claim.general))
    if found.claim.general and len(read_as) > 1:  # a form is only known in a known language
        return replace(found, claim=model.Claim())
    return found


def may_rival(text: str) -> bool:
    """It may tell a change, or the value of an attribute: that is sooner tried than read."""
    line = clean(text)[:LONGEST]
    if LABEL.match(line) or sentence_of(line):
        return True
    read_as = (one for sentence in split(line) for one in _read_as(sentence))
    return any(any(_tried(told, spoken, is_rival=True)) for _text, told, spoken in read_as)


def _read_as(sentence: str) -> Iterator[tuple[str, str, model.Language]]:
    """In full, and what of that stands behind a request to remember; in each likely language."""
    for spoken in languages_of(bare := _bare(sentence)):
        text = bare
        for short, full in model.SHORT_FORMS if spoken is language("english") else ():
            text = short.sub(full, text)
        asked = spoken.asks.search(text)
        yield text, text[asked.end() :] if asked else text, spoken


def _bare(sentence: str) -> str:
    return unquoted(plain(_REMARKS.sub("", sentence[:_LONGEST_SENTENCE]).replace("’", "'")))


def _spoken(text: str, told: str, spoken: model.Language) -> Sentence:
    found = _claim(told, spoken) or model.Claim()
    if told != text and not spoken.jokes.search(text):
        found = replace(found, act=model.Act.ASKS, durable=True, general=False)
    leans = bool(spoken.leans.search(text)) or _is_unnamed(found.subject, text, spoken)
    return Sentence(found, spoken, text, leans)


def _is_unnamed(subject: str, text: str, spoken: model.Language) -> bool:
    """Said of somebody whom nothing before the word for them names."""
    if subject not in spoken.pronouns:
        return False
    told = re.search(rf"\b{re.escape(subject)}\b", text, re.IGNORECASE)
    clauses = spoken.clause.split(text[: told.start()]) if told else []
    return not any(_NAMED.search(one) for one in clauses[:-1])


def asks(text: str, spoken: model.Language) -> bool:
    return text.rstrip(' )"”」').endswith(("?", "？")) or bool(spoken.asking.search(text))


def _claim(text: str, spoken: model.Language) -> model.Claim | None:
    if spoken.jokes.search(text):
        return None
    found = next(_claims(text, spoken), None)
    if found is None or found.act not in {*_OVER, model.Act.CORRECTS}:
        return found
    claims = list(_claims(text, spoken))
    if found.act is model.Act.CORRECTS:  # "Correction: we ship on Thursdays"
        is_bare = found.key is None and not found.old
        told = next((one for one in claims if one.key is not None and is_bare), None)
        return found if told is None else replace(told, act=model.Act.CORRECTS)
    over = "; ".join(dict.fromkeys(one.old for one in claims if one.act is found.act and one.old))
    instead = (one for one in claims if one.act not in _OVER and _is_instead(one, found))
    if one := next(instead, None):  # "on Thursdays, no longer on Fridays"
        return replace(one, act=model.Act.CHANGES, old=over)
    return replace(found, old=over)


def _is_instead(one: model.Claim, over: model.Claim) -> bool:
    """What holds now of the thing that ended."""
    if over.act is not model.Act.ENDS or not one.attribute:
        return False
    is_named = bool(read(over.old).heavy & read(one.attribute).heavy)
    return is_named or (one.subject == over.subject and one.attribute == over.attribute)


def _claims(text: str, spoken: model.Language) -> Iterator[model.Claim]:
    for row, found in _tried(text, spoken):
        is_meant = _is_meant(text, found, row, spoken)
        if is_meant and (claim := _of_row(found, row, spoken, text[: found.start()])):
            yield claim


def _tried(text: str, spoken: model.Language, *, is_rival: bool = False) -> Iterator[_Found]:
    """At few places: to search a whole sentence for each row takes ten times as long."""
    starts = sorted({found.end() for found in spoken.start.finditer(text)})
    for row in spoken.rows_for(text):
        if is_rival and not row.attribute and row.act is model.Act.STATES:
            continue
        tried = (row.pattern.match(text, at) for at in starts)
        matches = row.pattern.finditer(text) if row.anywhere else tried
        yield from ((row, found) for found in matches if found)


def _is_meant(text: str, found: re.Match[str], row: model.Row, spoken: model.Language) -> bool:
    """Neither asked nor imagined nor laughed at."""
    told = _end_of(found, spoken)
    last = spoken.clause.search(text, told)
    end = last.start() if last else len(text)
    starts = [cut.end() for cut in spoken.clause.finditer(text, 0, found.start() + 1)]
    start = starts[-1] if starts else 0
    clause = text[start:end]
    is_lasting = row.act is not model.Act.STATES or row.kind is model.Kind.INSTRUCTION
    if spoken.maybe.search(text[:end]) and not (is_lasting and row.kind is model.Kind.INSTRUCTION):
        return False
    if spoken.laughs.search(text if row.general else clause) and not is_lasting:
        return False
    if row.general and (spoken.passing.search(clause) or spoken.orders.search(text)):
        return False
    if row.kind is model.Kind.INSTRUCTION and spoken.asking.search(found.group().strip()):
        return True  # "Can you always …?"
    if last is None or last.group() in "?？":
        return not (text.rstrip().endswith(("?", "？")) or spoken.asking.search(clause.strip()))
    return not spoken.asking.search(clause.strip())


def _end_of(found: re.Match[str], spoken: model.Language) -> int:
    """Of the value, which is less than what a pattern takes for it."""
    value = found.groupdict().get("value")
    if not value or found.end() > found.end("value"):
        return found.end()
    cut = spoken.ends.search(value, 1)
    return found.start("value") + cut.start() if cut else found.end()


def _of_row(
    found: re.Match[str], row: model.Row, spoken: model.Language, before: str
) -> model.Claim | None:
    groups = {name: text or "" for name, text in found.groupdict().items()}
    value = _value(groups.get("value", ""), spoken)
    old = groups.get("old", "")
    if row.act is model.Act.CANCELS:  # "it rains so the picnic is off"
        old = spoken.clause.split(old)[-1]
    if row.attribute in {"home", "move"} and _NO_PLACE.search(value):
        return None
    who = groups.get("named") or groups.get("named2") or groups.get("who", "")
    if "who" not in groups and (held := _HELD.match(groups.get("what", ""))):
        who, groups["what"] = held["who"], held["what"]
    if not who and "who" in groups and (topic := spoken.topic.search(before)):
        who = topic["topic"]
    subject = _subject(who, spoken)
    attribute = row.attribute
    for name, text in groups.items():
        attribute = attribute.replace("{" + name + "}", _attribute(text))
    if _NOT_ONE.search(attribute) or subject in spoken.pronouns or attribute.endswith(" "):
        attribute = ""
    return model.Claim(
        row.kind,
        row.act,
        subject,
        attribute.strip(),
        value,
        _value(old, spoken, cut=False),
        durable=True,
        general=row.general,
    )


def _value(text: str, spoken: model.Language, *, cut: bool = True) -> str:
    text = " ".join(text.split())
    end = spoken.ends.search(text, 1) if cut else None
    return text[: end.start() if end else _LONGEST_VALUE].strip(" ,;:.!。，、「」\"'“”")


def _subject(who: str, spoken: model.Language) -> str:
    """ "my sister" is the sister, "we" whoever speaks."""
    who = _POSSESSIVE.sub("", who.split("(")[0])
    if normalise(who) in spoken.self_words:
        return ""
    words = normalise(_OWNER.sub("", who)).split()
    while words and words[0] in spoken.self_words:
        words = words[1:]
    return " ".join(words).removesuffix(" s")


def _attribute(text: str) -> str:
    bare = _ARTICLE.sub("", " ".join(text.split()))
    found = normalise(bare) if bare else ""
    found = _AUXILIARY.sub("", found)
    generic = _GENERIC.match(found)
    found = generic[1] if generic else found
    return _SAME.get(found, found)[:60]


def _dated(claim: model.Claim, sentence: str, said: date | None) -> model.Claim:
    """Only what ends by itself, or says when it ends, is over: what nobody understands stays."""
    span = span_of(sentence, said)
    if not span.days or lasting.is_yearly(sentence):
        return claim
    last = max(span.days, key=lambda one: one[2])
    clause = slice(*lasting.clause_at(sentence, *last[:2]))
    told = sentence[clause]
    start, end = span.start, span.end
    if end is None and start is None and _begins(claim, told):
        start = last[2]
    elif end is None and not is_habit(told) and _is_of_one_day(claim, told, last[2], said):
        end = max((day for _at, _stop, day in span.days if day != start), default=None)
    rest = f"{sentence[: clause.start]} {sentence[clause.stop :]}"
    if end is not None and any(_stays(undated(one).claim) for one in split(rest)):
        end = None
    return replace(claim, valid_from=start, valid_to=end)


def _begins(claim: model.Claim, told: str) -> bool:
    """Not what only moves to another day."""
    is_moved = claim.act is model.Act.CHANGES and claim.attribute.startswith("when ")
    return lasting.begins(told) and not is_moved


def _is_of_one_day(claim: model.Claim, told: str, day: date, said: date | None) -> bool:
    if claim.kind is model.Kind.PLAN:
        return claim.attribute.startswith("when ") or lasting.ends_by_itself(told)
    is_ahead = said is not None and said < day
    return is_ahead and claim.kind in _PASSING and lasting.ends_by_itself(told)


def is_ahead(claim: model.Claim, text: str) -> bool | None:
    """Whether the weekday that is named lies ahead; None: nobody knows."""
    if remembering.is_timed(text):
        return True
    if claim.kind is model.Kind.EVENT:
        return False
    if claim.kind is model.Kind.PLAN or claim.valid_to:
        return True
    return not lasting.began(text) if _begins(claim, text) else None


def lasts(text: str) -> bool:
    """A day that it names is no last one: it begins, comes every year or again and again."""
    return lasting.is_yearly(text) or is_habit(text) or lasting.begins(text)


def _stays(claim: model.Claim) -> bool:
    """It holds whatever ends beside it."""
    return claim.durable and not claim.general and claim.kind in _STAYING
