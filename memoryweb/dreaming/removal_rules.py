"""Who replaces whom, and whether a statement may leave for the reason that is given. Pure."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import date
from itertools import pairwise

from memoryweb.dreaming import operations
from memoryweb.dreaming.candidates import as_line
from memoryweb.language import extraction_rules
from memoryweb.language.normal_form import read
from memoryweb.language.single_values import tells_otherwise
from memoryweb.language.statement_comparison import contradicts, covers, overtakes, says_all_of
from memoryweb.language.support import Citation, is_earnest, is_said, renews, says_ended

_CLAUSE = re.compile(
    r"(?<=[.!?])\s+|(?<=[。！？])|[,;] (?:so|and|but|und|aber|also|deshalb|daher)\b"
    r"|[，；](?:所以|而且|但是?)?|、(?:だから|なので)"
)
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
    """Only people's own word moves what a person wrote, and only the same person's. Else nobody's
    is replaced by any that is trusted as much, the owner's own word wins, and everybody takes
    their own word back."""
    if old.is_persons:
        return new.is_word and new.speaker == old.by.speaker
    if new.is_word and new.speaker == "":
        return True
    is_theirs = old.by.speaker in {operations.NOBODY, new.speaker}
    return is_theirs and new.weight >= old.by.weight


def is_rival(one: operations.LivingStatement, other: operations.LivingStatement) -> bool:
    """Both can't be true at one time, and the later one is news."""
    if not _overlap(one.claim, other.claim):
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


def is_done(one: operations.LivingStatement, today: date) -> bool:
    """Over by its own words."""
    if one.is_persons and (one.claim.general or _was_put_back(one)):
        return False  # what a person holds to leaves by no guess
    return is_over(one.claim, today)


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
            return any(_supersedes(one, old) for one in others)
        case operations.Why.EXPIRED:
            return is_over(old.claim, material.today) or is_past(old, material.today)
        case operations.Why.CANCELLED:
            return any(is_ended(one, old) for one in said)
        case operations.Why.DUPLICATE:
            return any(says_all(one.text, old.text) for one in others)
        case operations.Why.ASKED:
            return old.is_outdated
    return False


def _supersedes(one: operations.LivingStatement, old: operations.LivingStatement) -> bool:
    return operations.is_later(one.by.said_at, old.by.said_at) and is_rival(one, old)


def why_replaced(
    old: operations.LivingStatement,
    new: operations.LivingStatement,
    said: Iterable[operations.CitableLine] = (),
) -> operations.Why | None:
    """What code proves of a statement whose place another takes, citing `said`; None: nothing."""
    if _supersedes(new, old) or _supersedes(_with_subject(new), _with_subject(old)):
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


def rests(old: str, newer: str) -> Iterator[str]:
    """Sentences and clauses of a statement that a newer one doesn't speak of, where each stands
    by itself and nobody may come to harm without it: "we ship on Fridays, so never call then"."""
    cuts = [0, *(cut.end() for cut in _CLAUSE.finditer(old)), len(old)]
    parts = (old[start:end].strip(" ,，、;；") for start, end in pairwise(cuts))
    for part in parts if len(cuts) > 2 else ():
        said = extraction_rules.spoken_of(part)
        is_own = said.claim.durable and is_safe(said.claim) and not said.leans
        if is_own and not (
            contradicts(newer, part)
            or extraction_rules.takes_back(extraction_rules.claim_of(newer), part)
        ):
            yield as_line(part[0].upper() + part[1:])


def _overlap(one: extraction_rules.Claim, other: extraction_rules.Claim) -> bool:
    starts = max(one.valid_from or date.min, other.valid_from or date.min)
    ends = min(one.valid_to or date.max, other.valid_to or date.max)
    return starts <= ends
