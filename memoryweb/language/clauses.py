"""What somebody says, clause by clause: its words, who does it, and what turns it. Pure."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cached_property, lru_cache
from itertools import product

from memoryweb.language import support_words
from memoryweb.language.comparison_words import FILLERS, LIGHT, NEGATIONS, PAST
from memoryweb.language.extraction_rules import dates_in, lasts, resolved
from memoryweb.language.habit_times import When, when_in
from memoryweb.language.normal_form import clean, normalise
from memoryweb.language.sentences import split
from memoryweb.language.support_words import turns
from memoryweb.language.tokens import stem

_CJK = "\u3005\u30fc\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
_KANA = "\u3040-\u309f"
_RUN = re.compile(
    rf"[{_KANA}]+|(?:(?![{_KANA}])[{_CJK}])+|-?\d+(?:[.:/-]\d+)*"
    rf"|[^\W\d_{_CJK}][^\W_{_CJK}]*|[%€$£¥]"
)
SCRIPT = re.compile(f"[{_CJK}]")
_HIRAGANA = re.compile(f"[{_KANA}]")
CLAUSE = re.compile(
    r",(?!\d)|[()，（）–—]|\s-\s"
    rf"|(?=\b{support_words.JOINS}\b)"
    r"|(?=\b(?:(?<!rather )than|rather than|instead of|(?:an)?statt|anstelle)\b)|(?<=er )(?=als\b)"
    r"|(?<=mehr )(?=als\b)|(?=而不是)"
    r"|而且|但是?|所以|因为|けれ?ど|が、|ですが|(?<=[だたいる])から|ので|で、",
    re.IGNORECASE,
)
_ENDS = re.compile(r"(?<=[;；])|(?<=[:：])(?!\d)")
_PREFERS = re.compile(
    r"(\b(?:prefer(?:s|red)?|cho(?:o?se|sen)) (?!not\b)\S+(?: \S+)?) (?:to|over)\b", re.IGNORECASE
)
_MOVES = re.compile(
    r"(\b(?:moved?|chang\w+|switch\w+|shift\w+|went|gone|verschoben|verlegt|wechsel\w*|zog\w*)\b"
    r"[^,]{0,60}?) (?:from|von) (\S+(?: \S+)??) ((?:to|nach|auf) .+)$",
    re.IGNORECASE,
)
_LOWER = re.compile(r"\b[a-zäöüß]\w*")
_IM = re.compile(r"\b[Ii]m (?=[A-ZÄÖÜ])")  # German, and no "I'm"
_THIRD = ("s", "d", "t")
_IRONY = re.compile(r"(?<=\s)/s(?=\W*$)")
_OFF = re.compile(
    r"\bg[ai]ven? up\b"
    r"|(?<!\bam )(?<!\bim )(?<!\bis )(?<!\bare )(?<!\bget )(?<!\bgot )\bused to\b"
    r"|\b(?:is|are|was|were|its|called|calling) (?:all |now )?(?:off|over)\b(?! to\b)"
)
_DAY = re.compile(r"(?<![\d.:])(\d{1,2})(?:\.(?!\d)|st\b|nd\b|rd\b|th\b|日|号)")
_ROLE = re.compile(r"\b(?i:my|our|mein\w*|unser\w*)\s(?:\w+\s)??([\w-]+)\s([A-ZÄÖÜ]\w+)")
_SUBJECT = re.compile(
    r"(.{3,60}?)(?:\s(?:is|are|has|starts?|begins?|costs?|ist|sind|hat|beginnt|kostet)\b|[はが])",
    re.IGNORECASE,
)
_ONE_OF_MANY = frozenset({"a", "an", "ein", "eine", "einen", "einem", "einer"})
QUESTION = re.compile(r"[?？]\W*$|[吗呢か]\W*$")
_POSSESSIVE = re.compile(r"['’]s\b")
_ENDING = re.compile(r"(?<=\w{3})(?:est|en|st|et|er|es|em|ed|e|t|n|s)$")
# What a clause says of those after it: of one that begins anew, only so much.
_OVER = frozenset({"dreamt", "joked", "asked", "claimed", "quoted"})
_AGAINST = _OVER | {"refused", "untrue"}
_JOIN = re.compile(rf"^(?:{support_words.JOINS} )+", re.IGNORECASE)
_GOES_ON = re.compile(r"(?:that|dass|daß|ob|als ob|whether|als)\b")
_THAT = re.compile(r"(?:dass|daß)\b")
_EXCEPT = re.compile(
    r"(?:only|just|not|nicht|never|nie|nowhere|except|unless|until|till|nur|bis|ausser|除了)"
)
Owned = tuple[tuple[str, ...], tuple[str, ...]]
_AT_NO_TIME = When(frozenset(), frozenset())


@dataclass(frozen=True)
class Clause:
    """`words` in their order, and whether they are denied, over, or only thought of."""

    words: tuple[str, ...]
    sense: frozenset[str]
    of: tuple[str, ...] = ()  # who it is said of, where that isn't the speaker
    is_own: bool = False  # the speaker's, by its first word
    script: str = ""  # of languages without spaces, where words are found by windows
    when: When = _AT_NO_TIME
    whose: tuple[Owned, ...] = ()  # possessors, and what is theirs
    head: tuple[str, ...] = ()  # what of somebody it is said of ("Tom's mother")
    does: tuple[str, ...] = ()  # the verb, where all hangs on it ("sold")
    is_joined: bool = False

    @cached_property
    def forms(self) -> frozenset[str]:
        return frozenset(form for word in self.words for form in forms_of(word))

    @property
    def has_doer(self) -> bool:
        own = support_words.OWN.search(self.script) or support_words.CJK_OWN.search(self.script)
        return bool(self.of or own or support_words.THIRD.match(self.script))

    @cached_property
    def doing(self) -> tuple[str, ...]:
        """Who it is said of, and the word after: what they do."""
        at = self.words.index(self.of[-1]) if self.of and self.of[-1] in self.words else None
        found = () if at is None else self.words[at : at + 2]
        return found if len(found) > 1 else ()

    def has(self, word: str) -> bool:
        return word in self.script if is_script(word) else not forms_of(word).isdisjoint(self.forms)

    def turns(self, other: "Clause") -> bool:
        """Who does it in one of them has it done to them in the other."""
        if SCRIPT.search(self.script) and not (self.of and other.of):
            return False  # は tells what it is about, which may do nothing
        pairs = (it for it in (self.doing, other.doing) if it)
        both = ((self._order(*it), other._order(*it)) for it in pairs)
        return any(one and two and one != two for one, two in both)

    def is_only(self, of: Sequence[str]) -> bool:
        words = words_of(self.script)
        return bool(words) and {*words} <= {*of}

    def suffers(self, other: "Clause") -> bool:
        """Whoever does it in the other does it to the speaker."""
        by = other.of and not other.is_own and all(map(self.has, other.of))
        return bool(by and support_words.ME.search(other.script))

    def _order(self, one: str, other: str) -> int:
        at = [self._position(it) for it in (one, other)]
        return 0 if None in at else 1 if at == sorted(at) else -1  # type: ignore[type-var]

    def _position(self, word: str) -> int | None:
        same = (n for n, it in enumerate(self.words) if not forms_of(it).isdisjoint(forms_of(word)))
        return next(same, None)


Sentence = tuple[Clause, ...]


def sentences_of(text: str, said: date | None = None) -> list[Sentence]:
    return [sentence for _text, sentence in read_sentences(text, said)]


@lru_cache(maxsize=8_192)
def read_sentences(text: str, said: date | None) -> tuple[tuple[str, Sentence], ...]:
    parts = (part for one in split(clean(text)) for part in _ENDS.split(one))
    who: tuple[str, ...] = ()
    read: list[tuple[str, tuple[Clause, ...]]] = []
    over: frozenset[str] = frozenset()
    for part in parts:
        sentence = []
        for clause in _governed([*_clauses(part, said)], over):
            if support_words.THIRD.match(clause.script) and not clause.of:
                clause = replace(clause, of=who)
            elif clause.of or not who:
                who = (*clause.of, *clause.words)
            sentence.append(clause)
        if read and len(sentence) == 1 and (back := takes_back(sentence[0])):
            read[-1] = (read[-1][0], tuple(turned(one, back) for one in read[-1][1]))
        read.append((part, tuple(sentence)))
        is_open = part.rstrip().endswith((":", "："))
        over = frozenset().union(*(one.sense & _OVER for one in sentence if is_open))
    return tuple(
        (part, sentence) for part, sentence in read if sentence or support_words.REPLY.match(part)
    )


def _clauses(sentence: str, said: date | None) -> Iterator[Clause]:
    """What has no word of its own belongs to the clause before, or else to the next."""
    found: list[str] = []
    hedged = {"hedged"} if support_words.CONDITION.search(sentence) else set()
    plain = _PREFERS.sub(r"\1 than", _IRONY.sub("sarcasm", support_words.REPLY.sub("", sentence)))
    plain = _MOVES.sub(r"\1 \3 than \2", plain)
    for part in CLAUSE.split(plain):
        if found and not (words_of(normal_of(part)) and words_of(normal_of(found[-1]))):
            found[-1] += f" {part}"
        elif part.strip():
            found.append(part)
    for part in found:
        clause = clause_of(part.strip(), said)
        yield replace(clause, sense=clause.sense | hedged)


def _governed(clauses: Sequence[Clause], over: frozenset[str]) -> Iterator[Clause]:
    """Each with what the clauses before say of it ("I dreamt that …, and …"), and the next one."""
    for before, clause, after in zip([None, *clauses], clauses, [*clauses[1:], None], strict=False):
        is_joined = clause.is_joined or bool(SCRIPT.search(clause.script))
        if clause.has_doer and before and not _GOES_ON.match(clause.script):
            over = frozenset() if is_joined else over & _OVER
        if before and _THAT.match(clause.script):
            led = (word for word in words_of(before.script) if not _is_plain(word))
            clause = replace(clause, does=(*clause.does, *led))
        back = takes_back(after) if after else frozenset()
        yield turned(clause, over | back)
        over |= clause.sense & _AGAINST


def takes_back(clause: Clause) -> frozenset[str]:
    """What it says of the clause before: "just kidding", "but only on Sundays"."""
    kept = {"limited"} if _EXCEPT.match(clause.script) else set()
    is_short = len({*words_of(clause.script)}) < (2 if clause.has_doer else 3)
    return clause.sense & (kept | _AGAINST if is_short else kept)


def turned(clause: Clause, sense: frozenset[str]) -> Clause:
    return replace(clause, sense=clause.sense | sense)


def clause_of(whole: str, said: date | None) -> Clause:
    part = _JOIN.sub("", whole)
    normal = normal_of(part)
    own = support_words.OWN.search(normal_of(_IM.sub("in ", part)))
    of = support_words.SOMEBODY.match(part)
    of = of if of and (of["name"] or not own) and not when_in(of[of.lastgroup or 0]).days else None
    is_own = bool(own and not own.start()) or bool(support_words.CJK_OWN.match(part) and not of)
    if of is None and not support_words.CJK_OWN.search(part):
        of = support_words.CJK_DOER.match(part)
    who = words_of(normal_of(of[of.lastgroup or 0])) if of else ()
    return Clause(
        (*words_of(normal), *(words_of(_meant(part, said)) if said else ())),
        sense_of(normal),
        who,
        is_own,
        f"{support_words.CJK_FREE[0].sub('', normal)} {normal}",
        when_in(part),
        tuple((by, its) for by, its in _owned(part) if by),
        words_of(normalise(its[its.lastgroup or 0]))
        if (its := support_words.OWNED.match(part))
        else (),
        tuple(_does(part, normal, who)),
        part != whole,
    )


def _does(part: str, normal: str, of: Sequence[str]) -> Iterator[str]:
    """The verb of whoever does it, where it's none that may be left out."""
    tokens, own = normal.split(" "), support_words.OWN.search(normalise(_IM.sub("in ", part)))
    at = len(normal[: own.end()].split(" ")) if own else 0
    if not own and of and of[-1] in tokens:
        at = tokens.index(of[-1]) + 1
    lower = {word.replace("ß", "ss") for word in _LOWER.findall(part[:1].lower() + part[1:])}
    verbs = _german_verbs(tokens, at)
    if at and tokens[at - 1] not in support_words.GERMAN_OWN:
        led = tokens[: at - 1] if own and tokens[0] not in support_words.SETTING else []
        led = [word for word in led if not word.endswith("ly")]
        english = _english_verb(tokens[at - 1 :])
        verbs = (*verbs, *led, *(it for it in english if own or it.endswith(_THIRD) or it in PAST))
    yield from (it for it in verbs if it in lower and it not in _NO_WORDS and not _is_plain(it))


def _german_verbs(tokens: Sequence[str], at: int) -> tuple[str, ...]:
    if not support_words.GERMAN_AUX.isdisjoint(tokens):
        return (tokens[-1],) if support_words.PARTICIPLE.fullmatch(tokens[-1]) else ()
    if not at or tokens[at - 1] not in support_words.GERMAN_OWN:
        return ()
    verb = tokens[at - 2 : at - 1] if at > 1 else tokens[at : at + 1]
    return () if support_words.GERMAN_MAY.intersection(verb) else tuple(verb)


def _english_verb(tokens: Sequence[str]) -> Iterator[str]:
    """After auxiliaries and adverbs; what follows a bare "is" or "has" may be anything."""
    aux = tokens[0]
    if support_words.RELATIVE.intersection(tokens[1:2]):
        return
    for token in tokens[1:]:
        if token in support_words.BEING | support_words.HAVING | support_words.MAY:
            aux = token
        elif not (token in FILLERS | support_words.ADVERBS or token.endswith("ly")):
            ends = (
                ("ing", "ed", "en")
                if aux in support_words.BEING
                else ("ed", "en")
                if aux in support_words.HAVING
                else ("", "")
            )
            yield from (token,) if token.endswith(ends) else ()
            return


def _is_plain(word: str) -> bool:
    return (
        word[-1].isdigit() or is_script(word) or not support_words.PLAIN.isdisjoint(forms_of(word))
    )


def _owned(part: str) -> Iterator[Owned]:
    for it in support_words.OWNS.finditer(part):
        whose = it["by"] or it["of"] or it["no"] or it["use"]
        its = it["its"] or it["thing"] or it["wa"] or ""
        yield words_of(normalise(whose)), words_of(normalise(its))


def normal_of(part: str) -> str:
    return normalise(_POSSESSIVE.sub("", part).replace("-in-law", "inlaw"))


def _meant(text: str, said: date) -> str:
    """Each day that a relative word of it can mean, and each time as it may be written."""
    days = (f"{day} {day.year} {day:%B %A}" for day in dates_meant(text, said))
    hours = (divmod(minutes, 60) for minutes in when_in(text).times)
    times = (f"{hour}:{minute:02} {hour:02}:{minute:02} {hour}" for hour, minute in hours)
    either = (resolved(text, said, ahead=ahead) for ahead in (True, False))
    return normalise(" ".join([*days, *times, *either]))


@lru_cache(maxsize=8_192)
def dates_meant(text: str, said: date | None) -> frozenset[date]:
    if said is None:
        return frozenset(dates_in(text))
    either = (resolved(it, said, ahead=n) for it in (text, text.lower()) for n in (True, False))
    given = (day for one in (text, *either) for day in dates_in(one, said))
    days, numbers = when_in(text).days, set(map(int, _DAY.findall(text)))
    near = [said + timedelta(days=n) for n in range(-31, 62)]
    named = (day for day in near[17:46] if day.weekday() in days)
    return frozenset((said, *given, *named, *(day for day in near if day.day in numbers)))


def sense_of(normal: str) -> frozenset[str]:
    tokens = set(normal.split(" "))
    denied = bool(tokens & support_words.DENIED) or bool(support_words.CJK_DENIED.search(normal))
    ended = (
        bool(tokens & support_words.ENDED)
        or bool(support_words.CJK_ENDED.search(normal))
        or bool(_OFF.search(normal))
    )
    if (
        (denied and tokens & support_words.LONGER)
        or "不再" in normal
        or ("もう" in normal and denied)
    ):
        denied, ended = False, True
    hedged = bool(tokens & support_words.HEDGED) or bool(support_words.CJK_HEDGED.search(normal))
    marks = {"denied": denied, "ended": ended, "hedged": hedged}
    return frozenset(name for name, holds in marks.items() if holds) | turns(normal)


_NO_WORDS = (
    support_words.FREE
    | FILLERS
    | support_words.DENIED
    | NEGATIONS
    | support_words.ENDED
    | support_words.HEDGED
    | support_words.LONGER
)


def words_of(normal: str) -> tuple[str, ...]:
    return tuple(_each_word(normal))


def _each_word(normal: str) -> Iterator[str]:
    for turn in (_OFF, support_words.CJK_DENIED, support_words.CJK_ENDED, support_words.CJK_HEDGED):
        normal = turn.sub(" ", normal)
    for run in _RUN.findall(normal):
        if not is_script(run):
            if run not in _NO_WORDS:
                yield support_words.NUMERALS.get(run, run)
            continue
        for part in support_words.CJK_FREE[0].sub(" ", run).split():
            if len(part) > 1:
                yield from (part[at : at + 2] for at in range(len(part) - 1))
            elif not _HIRAGANA.match(part):
                yield part


def is_script(word: str) -> bool:
    return bool(SCRIPT.match(word))


@lru_cache(maxsize=65_536)
def forms_of(word: str) -> frozenset[str]:
    """However it is bent: by English stems, else without its ending and its accents."""
    if word[-1].isdigit():
        return frozenset({word.removeprefix("0").removesuffix(":00")})
    plain = "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))
    stems = {stem(plain), _ENDING.sub("", plain)}
    return frozenset(support_words.SAME.get(one, one) for one in stems)


def are_of_two(one: str, other: str, values: Iterable[str] = ()) -> bool:
    """Each is said of somebody or something else than the other, whatever the values: "my sister
    Anna" and "my friend Anna", "my car" and "my wife's car"."""
    roles, others = ({name: role for role, name in _ROLE.findall(it)} for it in (one, other))
    if any(others.get(name, role) != role for name, role in roles.items()):
        return True
    a, b = _first_of(one), _first_of(other)
    told = {*words_of(normalise(" ".join(values)))}
    first, second = ([it for it in clause.whose if not {*it[0]} <= told] for clause in (a, b))
    is_other = _are_owned(first, b) or _are_owned(second, a)
    for (by, its), (whose, thing) in product(first, second):
        is_other |= its == thing and _are_others(a, b, by, whose)
        is_other |= by == whose and _are_others(a, b, its, thing)
    own = ((a, b.of), (b, a.of))
    is_own = any(it.is_own and of and is_script(of[0]) and _lacks(it, of) for it, of in own)
    subjects = [
        words_of(normalise(it[1])) if (it := _SUBJECT.match(t)) else () for t in (one, other)
    ]
    is_other |= bool(a.of and b.of) and _are_others(a, b, *subjects)
    is_loose = all(map(_is_loose, (a, b), (one, other)))  # "dentist on Friday": any of them
    return is_other or is_own or is_loose or _are_others(a, b, a.of, b.of)


def _is_loose(clause: Clause, text: str) -> bool:
    """No article or possessor tells which one it is that has this day."""
    is_timed = bool(clause.when.days) or bool(dates_in(text))
    is_told = support_words.CHANGED.search(text) or support_words.OWN.search(clause.script)
    return is_timed and not (clause.of or is_told or ":" in text or lasts(text))


def adds_somebody(fuller: str, shorter: str) -> bool:
    """All words of the shorter sentence stand there, said of somebody or something else."""
    one, two = _first_of(fuller), _first_of(shorter)
    owned = any(not _lacks(two, by) and _lacks(two, its) for by, its in one.whose)
    is_added = _lacks(two, one.of[:1]) or owned or _narrows(fuller, two)
    return is_added or are_of_two(fuller, shorter)


def _narrows(fuller: str, shorter: Clause) -> bool:
    """Right before a word of both stands one of its own: "hot dogs" are no dogs."""
    words = ["", *normalise(fuller).split()]
    at = [n for n, word in enumerate(words) if word and words_of(word) and shorter.has(word)]
    pairs = ((words[n - 2], words[n - 1]) for n in at[1:])
    return any(
        words_of(word) and not (shorter.has(word) or word in LIGHT) and before not in _ONE_OF_MANY
        for before, word in pairs
    )


def _first_of(text: str) -> Clause:
    return next((it[0] for it in sentences_of(text) if it), Clause((), frozenset()))


def _are_owned(owned: Iterable[Owned], other: Clause) -> bool:
    """The other speaks of the same thing, and of nobody whose it is."""
    spaced = [(by, its) for by, its in owned if its and not is_script(by[0])]
    return any(_lacks(other, by) and not _lacks(other, its) for by, its in spaced)


def _are_others(one: Clause, other: Clause, its: Sequence[str], others: Sequence[str]) -> bool:
    return bool(its and others) and _lacks(one, others) and _lacks(other, its)


def _lacks(clause: Clause, words: Iterable[str]) -> bool:
    return not all(map(clause.has, words))
