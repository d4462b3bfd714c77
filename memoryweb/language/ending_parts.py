"""The clauses of a sentence by their characters, and whether one of them stands without words
that ended. Pure."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from memoryweb.language.ending_words import heavy_in, labels_in, listed, words_in
from memoryweb.language.normal_form import is_cjk
from memoryweb.language.sentences import spans

Span = tuple[int, int]

# After these a clause of its own may begin; "Aylin und Tom" are two of one.
_BEGINS = re.compile(
    r"(?:no|kein\w*|i|we|he|she|they|it|my|our|his|her|their|the|there|everybody|everyone|on"
    r"|in|at|every|always"
    r"|never|also|just|then|now|still|please|don't|do|can|can't|ich|wir|er|sie|es|mein\w*"
    r"|unser\w*"
    r"|der|die|das|den|dem|da|dann|im|am|abends|morgens|mittags|nachts|\w+tags|daneben|dazu"
    r"|nebenbei"
    r"|außerdem|krieg\w*|hab\w*|bin|ist|sind|war|geh\w*|mach\w*|spiel\w*|jeden|immer|bitte|\w+'s"
    r"|have|has|am|is|are|was|play|run|do|drive|eat|drink|take|teach|study|speak|love|hate"
    r"|like|need)\b",
    re.IGNORECASE,
)
_BREAK = re.compile(
    r"(?:,(?!\d)|[;，；（）]|\((?!\d{4}-\d\d-\d\d\))|(?<!\d\d-\d\d)\)|:(?!\S)|…|\.\.+"
    r"|\s[-–—]\s|—)"
    r"|\s(?=(?:but|because|cos|while|although|though|which|aber|sondern|weil|während|obwohl"
    r"|denn)\s)"
    r"|\s(?=(?P<joint>and|und|so|plus|&)\s)"
    r"|、|(?<=[てでしただすいる])(?=けど|けれど)|(?<=[だたすいる])(?:ので|から)(?![\w])"
    r"|(?<=[すただ])が、",
    re.IGNORECASE,
)
_LED = re.compile(
    r"^[\s,，、:;.…()&–—-]*(?:(?:and|but|so|because|cos|while|although|though|which|plus"
    r"|oh|well|btw"
    r"|und|aber|weil|also|dann|denn|obwohl|während|sondern|ach|übrigens|あと|けど|でも|それで)"
    r"(?:[\s,、]+|(?<=[あとけどでもそれ])))*",
    re.IGNORECASE,
)
_TAIL = re.compile(r"[\s,，、:;.!?…。！？()–—-]+$")
_NAME_ONLY = re.compile(r"\s*(?:[A-ZÄÖÜ][A-Za-zÀ-ÿ'-]+\s*){1,3}$")
_NUMBER = re.compile(r"\d|[〇一二三四五六七八九十百千万]+(?:[円歳時人回年度月日]|か月)")
_OWN_TIME = re.compile(
    r"\d|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b\w+tags?\b|\bmittwochs?\b"
    r"|\b(?:morgens|abends|mittags|nachts"
    r"|morning|evening|night|lunch|breakfast|noon|spring|summer|autumn|winter|frühjahr"
    r"|sommer|herbst)\b",
    re.IGNORECASE,
)
_HEDGE = listed(
    """think guess suppose mean know sure maybe probably honestly basically actually anyway matter
    lol haha tbh imo fyi btw moment present right day job glaub glaube denk denke meine sozusagen
    jedenfalls momentan derzeit aktuell ehrlich gesagt übrigens stand wise far luckily"""
)
_IF = re.compile(r"\W*(?:if|in case|unless|wenn|falls|as of|stand)\b", re.IGNORECASE)
_CJK_HEDGE = re.compile(
    r"と思う|と思います|たぶん|多分|今のところ|現在|いまは|今は|正直|ちなみに|とりあえず"
    r"|なんです|なんだ"
    r"|よね|かな|です|ます|けど|だけど|ので|から|んだ|のは|もう|まあ|ね$|よ$"
)


@lru_cache(maxsize=16_384)
def parts_of(text: str) -> tuple[Span, ...]:
    """Where each clause of the text begins and ends."""
    return tuple(part for start, end in spans(text) for part in _clauses(text, start, end))


def claims_of(text: str) -> list[str]:
    """The clauses of a sentence that has several, each in its own words; else none."""
    found = parts_of(text)
    return [text[start:end] for start, end in found] if len(found) > 1 else []


def _clauses(text: str, start: int, end: int) -> Iterator[Span]:
    """Of one sentence; names alone belong to what stands before them, short sign runs to what
    stands after."""
    found: list[Span] = []
    for one in _cut(text, start, end):
        bare = text[one[0] : one[1]].strip()
        if not re.search(r"\w", bare):
            continue
        before = text[found[-1][0] : found[-1][1]] if found else ""
        is_led = found and text[found[-1][1]] == "、" and _is_topic(before)
        if found and (_is_apposition(before, bare) or is_led):
            found[-1] = (found[-1][0], one[1])
        else:
            found.append(one)
    yield from (_trimmed(text, *one) for one in found)


def _is_apposition(before: str, part: str) -> bool:
    return bool(_NAME_ONLY.match(part)) and not (_NAME_ONLY.match(before) or labels_in(part))


def _is_topic(before: str) -> bool:
    """A word with a comma after it, as in 歯医者、4月16日 …"""
    bare = before.strip(" 、,，")
    return (
        is_cjk(bare)
        and len(bare) <= (5 if labels_in(bare) else 8)
        and not re.search(r"[はがを]|[てでしるいただす]$", bare)
    )


def _cut(text: str, start: int, end: int) -> Iterator[Span]:
    at = start
    for found in _BREAK.finditer(text, start, end):
        rest = text[found.end() + len(found["joint"] or "") : end]
        before = text[at : found.start()]
        if found["joint"] and _is_pair(before, rest):
            continue
        if found["joint"] and not _begins(rest) and not _are_two(before, rest):
            continue
        if found.start() > at:
            yield at, found.start()
        at = found.end()
    if at < end:
        yield at, end


def _is_pair(before: str, rest: str) -> bool:
    """ "Hannah and I have …" is one clause."""
    return bool(re.match(r"\s*(?:i|ich)\b", rest, re.IGNORECASE)) and (
        len(before.split()) < 4
        and not re.search(r"\b(?:i|i'm|we|ich|wir)\b", before, re.IGNORECASE)
    )


def _are_two(before: str, rest: str) -> bool:
    """Each has its amount, day or time of day, and something of its own."""
    rest = _BREAK.split(rest, maxsplit=1)[0]
    return bool(
        _OWN_TIME.search(before) and _OWN_TIME.search(rest) and heavy_in(_OWN_TIME.sub("", rest))
    )


# "and surf", "und häkel": a verb alone.
_ONE_WORD = re.compile(r"(?!so\b|on\b|all\b|more\b|mehr\b)[a-zäöüß]{4,}\s*(?:[,.;!?)]|$)")


def _begins(rest: str) -> bool:
    rest = rest.lstrip()
    word = re.match(r"[^\W\d_]+", rest)
    if _BEGINS.match(rest) or _ONE_WORD.match(rest) or (word and labels_in(word[0]) & _VERBS):
        return True
    return bool(_DOES.match(rest))


_VERBS = frozenset({"home", "job", "study", "smoke"})
# What the speaker does, in the first person: "und züchte Bonsai".
_DOES = re.compile(
    r"(?!alle\b|beide\b|viele\b|keine\b|eine\b|ohne\b|deine\b|jede\b"
    r"|\w+[mns]eine\b)(?:[a-zäöüß]{3,}e\b(?! und)"
    r"|(?:mag|fahr|geh|les|hab|zahl|spiel|koch|lern|wohn|arbeit|jobb|sing|trink|rauch"
    r"|züchte|lauf)\b)"
    r"|(?:keep|send|watch|bake|coach|sing|collect|commute|walk|paint|swim|cycle|volunteer"
    r"|read|write"
    r"|cook|prefer|use|own|go|help|look|tutor|sail|knit|garden|hike|breed|rent|pay|babysit"
    r"|like)\b(?! to\b)"
)


def _trimmed(text: str, start: int, end: int) -> Span:
    """Without the words that only lead to it and the marks around it."""
    led = _LED.match(text[start:end])
    head = start + (led.end() if led else 0)
    tail = _TAIL.search(text[head:end])
    stop = head + tail.start() if tail else end
    stop += text[head:stop].count("(") > text[head:stop].count(")") and text[stop : stop + 1] == ")"
    return (head, stop) if stop > head else (start, end)


def remains(older: str, ended: Sequence[str]) -> bool:
    """A clause with a value stands outside the words that ended."""
    gone: list[Span] = []
    for words in ended:
        at = older.find(words)
        if words and at >= 0:
            gone.append((at, at + len(words)))
    return any(_has_value(_left(older, part, gone)) for part in parts_of(older))


def _left(text: str, part: Span, gone: Sequence[Span]) -> str:
    kept = (
        char if not any(start <= at < end for start, end in gone) else "\n"
        for at, char in enumerate(text[part[0] : part[1]], start=part[0])
    )
    return re.sub("\n+", " … ", "".join(kept))


_TELLS = re.compile(
    r"\d|(?<=[\w,] )(?!I\b)[A-ZÄÖÜ]\w{2,}|\b(?i:i|i'm|i've|we|we're|ich|wir|mein\w*|my|our)\b"
)


def _has_value(words: str) -> bool:
    """Two words that carry something, or one with a name, a number or the speaker; an address."""
    if is_cjk(words):
        bare = _CJK_HEDGE.sub("", words)
        signs = re.findall(r"[\u30a0-\u30ff\u3005\u3400-\u9fff]|[A-Za-z]{2,}", bare)
        if "…" in words:  # a part of it ended
            return len(signs) > (0 if _NUMBER.search(bare) else 2)
        is_told = bool(_NUMBER.search(bare)) or len(re.findall("[ぁ-ん]", bare)) > 3
        return len(signs) > 1 or (bool(signs) and is_told)
    if _IF.match(words):
        return False
    heavy = [word for word in words_in(words) if word not in _HEDGE and heavy_in(word)]
    reach = bool(re.search(r"@|\d[\d -]{4,}\d", words))
    return len(heavy) > 1 or bool(heavy and _TELLS.search(words)) or reach
