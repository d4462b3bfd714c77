"""Who replaces whom, and whether a statement may leave for the reason that is given. Pure."""

import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import date
from functools import lru_cache

from memoryweb.dreaming import operations
from memoryweb.language import extraction_rules
from memoryweb.language.clauses import QUESTION, are_of_two
from memoryweb.language.ending import ended_in, on_day, parts_of, remains
from memoryweb.language.ending_alike import looks_alike
from memoryweb.language.ending_signs import PROVED, RIVAL, hints, news_of
from memoryweb.language.ending_words import heavy_in, labels_in
from memoryweb.language.habit_times import when_in
from memoryweb.language.normal_form import is_cjk, read
from memoryweb.language.single_values import tells_otherwise
from memoryweb.language.statement_comparison import contradicts, covers, overtakes, says_all_of
from memoryweb.language.support import Citation, is_earnest, is_said, renews, says_ended
from memoryweb.markdown.marks import Ended, can_mark

_DATE = re.compile(r"\b\d{4}-\d\d(?:-\d\d)?\b")
_PLANS = frozenset({"wedding", "trip"})
_WAS_THERE = re.compile(r"\b(?:visited|travelled|traveled|went) |\bbesuchten? ", re.IGNORECASE)
# What comes beside something else, or is nobody's news.
_NO_CHANGE = frozenset({"more", "unsure", "past", "visit", "told", "joke", "kin", "friend"})
OVER = frozenset({extraction_rules.Act.CANCELS, extraction_rules.Act.ENDS})
_VERBS = {"Has": "have", "Is": "am", "Goes": "go"}
_SAFE = frozenset(
    {
        extraction_rules.Kind.IDENTITY,
        extraction_rules.Kind.HEALTH,
        extraction_rules.Kind.RELATION,
        extraction_rules.Kind.INSTRUCTION,
    }
)


def may_replace(new: operations.Utterance, old: operations.LivingStatement) -> bool:
    """Only people's own word moves what a person wrote, and only the same person's, or its
    owner's who spoke against it. Else nobody's is replaced by any that is trusted as much, the
    owner's own word wins, and everybody takes their own word back."""
    if old.is_persons:
        is_against = old.is_outdated and new.speaker == ""
        return new.is_word and (is_against or new.speaker == old.by.speaker)
    if new.is_word and new.speaker == "":
        return True
    is_theirs = old.by.speaker in {operations.NOBODY, new.speaker}
    return is_theirs and new.weight >= old.by.weight


def clauses(one: operations.LivingStatement) -> list[operations.LivingStatement]:
    """All that still holds of it, and where that is of several clauses each by itself, said by
    whoever says all of it."""
    name = extraction_rules.name_before(one.living)
    parts = [f"{name}{it}" for it in _parts(one.living.removeprefix(name))]
    if len(parts) < 2:
        return [now(one)]
    day = _day_of(one.by)
    each = [replace(one, text=it, claim=extraction_rules.claim_of(it, day)) for it in parts]
    return [now(one), *each]


def claims_in(text: str) -> list[extraction_rules.Claim]:
    parts = _parts(text)
    is_whole = len(parts) == 1 and parts[0] == text.rstrip(".!。！ ")
    return [extraction_rules.claim_of(it) for it in ((text,) if is_whole else parts)]


def is_rival(one: operations.LivingStatement, other: operations.LivingStatement) -> bool:
    """Something that one claims and something that the other does can't be true at one time, and
    the later one is news."""
    return any(_are_rivals(it, that) for it in clauses(one) for that in clauses(other))


def _are_rivals(one: operations.LivingStatement, other: operations.LivingStatement) -> bool:
    values = one.claim.value, other.claim.value
    if not _overlap(one.claim, other.claim) or are_of_two(one.text, other.text, values):
        return False
    is_older = operations.is_later(other.by.said_at, one.by.said_at)
    newer, older = (other, one) if is_older else (one, other)
    is_of_two = newer.claim.key and older.claim.key and newer.claim.key != older.claim.key
    if is_of_two or not contradicts(newer.text, older.text):
        is_named = newer.claim.act is extraction_rules.Act.CORRECTS or _may_be_of_one(newer, older)
        return is_named and ends(newer.claim, older)
    said, before = newer.by.said_at, older.by.said_at
    return overtakes(
        newer.text,
        older.text,
        said=said.date() if said else date.max,
        older_said=before.date() if before else None,
    )


def disagree(one: operations.LivingStatement, other: operations.LivingStatement) -> bool:
    """Two people say another number, or another place, of the same thing."""
    speakers = {one.by.speaker, other.by.speaker}
    return len(speakers - {operations.NOBODY}) == 2 and tells_otherwise(one.text, other.text)


def _may_be_of_one(one: operations.LivingStatement, other: operations.LivingStatement) -> bool:
    """Where both name somebody, or something, beside their values, they name the same."""
    names = [read(it.text).names - set(read(it.claim.value).words) for it in (one, other)]
    return not (names[0] and names[1]) or bool(names[0] & names[1])


def ends(claim: extraction_rules.Claim, old: operations.LivingStatement) -> bool:
    """It says of the same thing that it is so no longer."""
    if claim.key is not None and claim.key == old.claim.key:
        return extraction_rules.clash(claim, old.claim)
    return extraction_rules.takes_back(claim, old.text)


def says_all(fuller: str, shorter: str) -> bool:
    """With every number and name of it."""
    one, two = read(fuller), read(shorter)
    has_names = two.names <= {*one.words, *one.names}
    return has_names and two.numbers <= one.numbers and covers(fuller, shorter)


def is_safe(claim: extraction_rules.Claim) -> bool:
    """No reason is guessed for it to go; a kind that only its form tells keeps nothing."""
    return claim.kind in _SAFE and not claim.general


def is_over(claim: extraction_rules.Claim, today: date) -> bool:
    return claim.valid_to is not None and claim.valid_to < today


def is_past(one: operations.LivingStatement, today: date) -> bool:
    """It was said ahead of the last day that its text names, and that day is over."""
    if extraction_rules.lasts(one.text):
        return False
    last = max(extraction_rules.dates_in(one.text), default=today)
    is_ahead = one.by.said_at is None or one.by.said_at.date() <= last
    return last < today and is_ahead and not is_safe(one.claim)


def is_over_or_past(one: operations.LivingStatement, today: date) -> bool:
    return is_over(one.claim, today) or is_past(one, today)


def is_done(one: operations.LivingStatement, today: date) -> bool:
    """Over by its own words, or by the day that somebody chose, whatever they say."""
    if one.is_timed:
        return is_over(one.claim, today) and not _was_put_back(one)
    if one.is_persons and (one.claim.general or _was_put_back(one)):
        return False  # what a person holds to leaves by no guess
    first, *parts = clauses(one)
    others = [it.claim for it in parts if first.claim.durable and not it.claim.general]
    return any(is_over(claim, today) for claim in (first.claim, *others))


def _was_put_back(one: operations.LivingStatement) -> bool:
    """Their word is later than its last day: they know that it is past."""
    last, at = one.claim.valid_to, one.by.said_at
    return last is not None and at is not None and at.date() > last


def is_ended(said: operations.CitableLine, old: operations.LivingStatement) -> bool:
    """Whoever may say so said later that it is off, or no more."""
    is_over = said.claim.act in OVER and ends(said.claim, old)
    is_theirs = may_replace(said.by, old) and operations.is_later(said.by.said_at, old.by.said_at)
    day = said.by.said_at.date() if said.by.said_at else None
    is_told = is_over or says_ended(said.text, old.text, day)
    return is_theirs and is_told and is_earnest(said.text, old.text)


def proved(
    why: operations.Why,
    going: Iterable[operations.LivingStatement],
    said: Iterable[operations.CitableLine],
    material: operations.Material,
    near: Iterable[operations.LivingStatement],
) -> operations.Why | None:
    """The reason that was given, or another that code finds, for all of them; None: there is none.
    `near` are the other living statements that may have to do with them."""
    olds, cited, others = tuple(going), tuple(said), tuple(near)
    reasons = (why, *(one for one in operations.Why if one is not why))
    found = (
        one for one in reasons if all(_holds(one, old, cited, material, others) for old in olds)
    )
    return next(found, None)


def _holds(
    why: operations.Why,
    old: operations.LivingStatement,
    said: tuple[operations.CitableLine, ...],
    material: operations.Material,
    others: tuple[operations.LivingStatement, ...],
) -> bool:
    match why:
        case operations.Why.SUPERSEDED:
            return any(supersedes(one, old) for one in others)
        case operations.Why.EXPIRED:
            return any(is_over_or_past(it, material.today) for it in clauses(old))
        case operations.Why.CANCELLED:
            return any(is_ended(one, old) for one in said)
        case operations.Why.DUPLICATE:
            return any(says_all(one.text, old.text) for one in others)
        case operations.Why.ASKED:
            return old.is_outdated
    return False


def supersedes(one: operations.LivingStatement, old: operations.LivingStatement) -> bool:
    return operations.is_later(one.by.said_at, old.by.said_at) and is_rival(one, old)


def why_replaced(
    old: operations.LivingStatement,
    new: operations.LivingStatement,
    said: Iterable[operations.CitableLine] = (),
) -> operations.Why | None:
    """What code proves of a statement whose place another takes, citing `said`; None: nothing."""
    if supersedes(new, old) or supersedes(_with_subject(new), _with_subject(old)):
        return operations.Why.CANCELLED if new.claim.act in OVER else operations.Why.SUPERSEDED
    if says_all_of(new.text, old.text) or is_said(old.text, [Citation(new.text)]):
        return operations.Why.DUPLICATE
    cited = tuple(said)
    if any(is_ended(one, old) for one in cited):
        return operations.Why.CANCELLED
    if renews(new.text, (one.text for one in cited), old.text):
        return operations.Why.SUPERSEDED
    return operations.Why.ASKED if old.is_hidden else None


def _with_subject(one: operations.LivingStatement) -> operations.LivingStatement:
    """ "Lives in Lund." is said of whom the memory is about."""
    word, _space, rest = one.text.partition(" ")
    if one.claim.key is not None:
        return one
    begins = ("I " + _VERBS.get(word, word.lower().removesuffix("s")), f"Ich {word.lower()[:-1]}e")
    texts = [*(f"{begin} {rest}" for begin in begins), f"私は{one.text}", f"我{one.text}"]
    read_so = (replace(one, text=text, claim=extraction_rules.claim_of(text)) for text in texts)
    return next((it for it in read_so if it.claim.key is not None), one)


# Which words of a statement end.

Words = tuple[str, ...]


def now(one: operations.LivingStatement) -> operations.LivingStatement:
    """As far as it still holds, to be compared."""
    return replace(one, text=one.living) if one.ended else one


def is_after(by: operations.Utterance, on: date) -> bool:
    """Said on a later day than that."""
    return by.said_at is not None and by.said_at.date() > on


def is_ahead(claim: extraction_rules.Claim, today: date) -> bool:
    """What it says begins another day."""
    return claim.valid_from is not None and claim.valid_from > today


def begins(one: operations.LivingStatement, today: date) -> bool:
    """It was said ahead of the day from which on it holds, and that has come."""
    start, at = one.claim.valid_from, one.by.said_at
    return start is not None and at is not None and at.date() < start <= today


def words_ended(said: operations.CitableLine, old: operations.LivingStatement) -> Words:
    """What a line ends of an older statement, and hadn't ended before. What it says in so many
    words to be over is all that such a clause of it ends."""
    texts = [said.text]
    if said.claim.act in OVER and not (ends(said.claim, now(old)) or _names(said, old)):
        parts = _parts(said.text)
        texts = [one for one in parts if len(parts) > 1 and _acts(one) not in OVER]
    found = (one for text in texts for one in _ended_in(text, said.by, old))
    return tuple(dict.fromkeys(one for one in found if _can_end(old, one)))


def _ended_in(text: str, by: operations.Utterance, old: operations.LivingStatement) -> Words:
    """Days end by news of the same alone: 2027-03-03 is no number of a phone."""
    days = _day_of(by), _day_of(old.by)
    found = ended_in(text, old.text, *days)
    if any(map(_DATE.search, found and (text, *found))):
        bare, before = _DATE.sub("", text), _DATE.sub("", old.text)
        others = ended_in(bare, before, *days) if not _shares(bare, before) else None
        found = tuple(it for it in found if others is None or _DATE.sub("", it) in others)
    return found


def _acts(text: str) -> extraction_rules.Act:
    return extraction_rules.claim_of(text).act


def _names(said: operations.CitableLine, old: operations.LivingStatement) -> bool:
    """What is off goes by another name there: a wedding, a journey."""
    over, names = said.claim.old, read(said.claim.old).names
    is_plan = labels_in(over) & labels_in(old.text) & _PLANS
    return bool(is_plan) and names <= {*read(old.text).words}


def words_replaced(new: operations.LivingStatement, old: operations.LivingStatement) -> Words:
    """What a statement that stands against an older one ends of it: else the clauses that it
    contradicts, or all of it."""
    if found := words_ended(new.line, old):
        return found
    parts = [one for one in _parts(old.text) if _can_end(old, one)]
    said = new.text.removeprefix(extraction_rules.name_before(new.text))
    claims = [new.claim, *(it.claim for it in clauses(new))]
    against = (
        one
        for one in parts
        if contradicts(said, one) or any(extraction_rules.takes_back(it, one) for it in claims)
    )
    return tuple(against) or tuple(parts)


def words_over(old: operations.LivingStatement, today: date) -> tuple[Words, date]:
    """The clauses of which the last day is past, all of them where none is by itself; and that."""
    name = extraction_rules.name_before(old.living)
    bare = (replace(one, text=one.text.removeprefix(name)) for one in clauses(old))
    parts = [one for one in bare if _can_end(old, one.text)]
    over = [one for one in parts if is_over(one.claim, today)]
    over = over or [one for one in parts if _last_of(one, today) < today]
    whole = tuple(it for it in _parts(old.text) if _can_end(old, it))
    last = max((it.claim.valid_to or _last_of(it, today) for it in over), default=today)
    return tuple(it.text for it in over if it.text in whole) or whole, last


def _last_of(one: operations.LivingStatement, today: date) -> date:
    return max(extraction_rules.dates_in(one.text), default=today)


def words_proved(
    words: str,
    old: operations.LivingStatement,
    said: operations.CitableLine,
    *,
    is_alone: bool = False,
) -> Words:
    """Of words that are said to have ended those of which a line of whoever may say so proves it:
    it ends them by itself, or it is news of the one clause that they stand in. Where it `is_alone`
    to be ended by that line, hardly a sign is asked for."""
    is_later = operations.is_later(said.by.said_at, old.by.said_at)
    if not (may_replace(said.by, old) and is_later and is_earnest(said.text, old.text)):
        return ()
    found = [one for one in words_ended(said, old) if _meet(old.text, one, words)]
    if found:
        is_within = any(words in one for one in found) or not remains(words, found)
        return (words,) if is_within else tuple(found)
    first, *others = [one for one in _parts(old.text) if _meet(old.text, one, words)] or [""]
    is_one = first and all(map(_is_detail, others))
    return (words,) if is_one and _tells_of(said, first, is_alone=is_alone) else ()


def _meet(text: str, one: str, other: str) -> bool:
    at, begin = text.find(one), text.find(other)
    return at < begin + len(other) and begin < at + len(one)


def _is_detail(clause: str) -> bool:
    """A few words that belong to the clause before, and claim nothing of their own."""
    is_short = len(clause) < 9 if is_cjk(clause) else len(clause.split()) < 4
    return is_short and not extraction_rules.claim_of(clause).durable


def _tells_of(said: operations.CitableLine, clause: str, *, is_alone: bool) -> bool:
    if looks_alike(said.text) or QUESTION.search(said.text):
        return False
    is_plain = _is_own(said.text) and not labels_in(said.text) & _NO_CHANGE
    is_news = news_of(said.text, clause)[0] >= (PROVED if is_plain else RIVAL)
    is_careful = extraction_rules.claim_of(clause).kind is extraction_rules.Kind.HEALTH
    is_hinted = is_alone and not is_careful and hints(said.text, clause)
    return contradicts(said.text, clause) or is_news or is_hinted


def _is_own(text: str) -> bool:
    languages = extraction_rules.languages_of(text)
    return is_cjk(text) or any(it.own.search(text) for it in languages)


def _shares(text: str, other: str) -> bool:
    """A word that carries the matter, or a name."""
    one, two = (read(it).heavy | read(it).names for it in (text, other))
    return bool(one & two)


def holds(one: operations.LivingStatement) -> bool:
    """Beside what has ended something of it is of value, or nobody may come to harm without it."""
    over = [it.words for it in one.ended]
    rest = [it for it in _parts(one.text) if not any(it in words or words in it for words in over)]
    timed = [it for it in rest if not when_in(it).is_empty]
    if any(heavy_in(it) or (_is_own(it) and not is_cjk(it)) for it in timed):
        return True  # "and climb on Fridays", "and I work from home on Fridays"
    claims = (extraction_rules.spoken_of(it) for it in rest)
    return remains(one.text, over) or any(
        it.claim.durable and is_safe(it.claim) and not it.leans for it in claims
    )


def with_marks(one: operations.LivingStatement, words: Words, on: date) -> operations.Marked:
    """What had ended within words that end now is told with them."""
    new = [Ended(on, it) for it in words]
    kept = [it for it in one.ended if not any(it.words in other.words for other in new)]
    return operations.Marked(one, tuple(sorted({*kept, *new})))


def stays(marked: operations.Marked) -> bool:
    """A line is kept by what is of value in it."""
    return marked.was.is_pinned or holds(marked.now)


def again(text: str, one: operations.LivingStatement) -> list[Ended]:
    """Of what has ended that which a text says to be so."""
    return [it for it in one.ended if covers(it.words, text) or covers(text, it.words)]


def has_all(one: operations.LivingStatement, text: str) -> bool:
    """With what has ended of it, so that nothing else of the text is lost where that holds again,
    or where it doesn't."""
    return all(again(it, one) or says_all_of(one.text, it) for it in _parts(text))


def outlives(old: operations.LivingStatement, new: operations.LivingStatement) -> bool:
    """Of an older statement something of value holds beside what a newer one ends."""
    left = with_marks(old, words_replaced(new, old), date.min).now
    return holds(left) and not says_rest(new.text, (), left)


def outlasting(
    new: operations.LivingStatement, rivals: Iterable[operations.LivingStatement]
) -> tuple[operations.LivingStatement, list[operations.LivingStatement]]:
    """With marks where a rival of later overtakes but a part of it; and the other rivals."""
    others = []
    for one in rivals:
        is_newer = operations.is_later(one.by.said_at, new.by.said_at)
        if is_newer and may_replace(one.by, new) and outlives(new, one):
            new = with_marks(new, words_replaced(one, new), first_day(one.line, new)).now
        else:
            others.append(one)
    return new, others


def says_rest(
    text: str, said: Iterable[operations.CitableLine], old: operations.LivingStatement
) -> bool:
    """A newer text says what is left of an older statement, too, but for what it renews."""
    cited = [text, *(one.text for one in said)]
    new, rest = read(text), read(old.living)
    has_all = {*rest.words} <= {*new.words} and rest.negated == new.negated
    left = {*rest.words} - {*new.words}
    has_date = bool(left) and left <= rest.numbers and bool(extraction_rules.dates_in(text))
    is_moved = has_date and bool(extraction_rules.dates_in(old.living))  # to another day
    return has_all or is_moved or renews(text, cited, old.living)


def are_two(one: extraction_rules.Claim, other: extraction_rules.Claim) -> bool:
    """They claim something of two people, or tell when two things are."""
    when = {it.attribute for it in (one, other) if it.attribute.startswith("when ")}
    return bool(one.key and other.key) and (one.subject != other.subject or len(when) > 1)


def first_day(said: operations.CitableLine, old: operations.LivingStatement) -> date:
    """Since when it is no longer so: no day before that on which it was said to be."""
    at, before, start = _day_of(said.by), _day_of(old.by), said.claim.valid_from
    if at is None or (start is not None and start > at):
        return start or date.min
    return min(max(on_day(said.text, at) or at, before or at), at)


def _can_end(old: operations.LivingStatement, words: str) -> bool:
    is_past = bool(_WAS_THERE.search(words))  # that stays so
    over = [one.words for one in old.ended if one.words in words]
    is_new = all(words not in one.words for one in old.ended)
    is_new = is_new and not (over and not remains(words, over))
    return can_mark(old.text, words) and is_new and not is_past


@lru_cache(maxsize=4_096)
def _parts(text: str) -> tuple[str, ...]:
    return tuple(text[start:end] for start, end in parts_of(text))


def _day_of(by: operations.Utterance) -> date | None:
    return by.said_at.date() if by.said_at else None


def _overlap(one: extraction_rules.Claim, other: extraction_rules.Claim) -> bool:
    starts = max(one.valid_from or date.min, other.valid_from or date.min)
    ends = min(one.valid_to or date.max, other.valid_to or date.max)
    return starts <= ends
