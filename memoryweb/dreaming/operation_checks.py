"""What an operation has to pass before it is carried out. Pure. A new check is a row of CHECKS."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from typing import Protocol

from memoryweb.dreaming import operations, removal_rules
from memoryweb.dreaming.removal_rules import is_over, may_replace
from memoryweb.language.ending import ended_in
from memoryweb.language.extraction_rules import Act, Claim, claim_of, takes_back
from memoryweb.language.line_flags import ADDRESSES, KnownLines, flags_of
from memoryweb.language.normal_form import normalise, read
from memoryweb.language.secrets import credentials
from memoryweb.language.statement_comparison import Lookup
from memoryweb.language.support import Citation, is_said, shares_word
from memoryweb.markdown.marks import can_mark
from memoryweb.memory.writing.machine_guards import addresses_in
from memoryweb.memory.writing.proposing import Rejections

LONGEST_LINE = 600  # characters


class Night(Protocol):
    """What an operation is checked against: the statements as earlier ones left them."""

    material: operations.Material
    living: dict[str, operations.LivingStatement]
    said: dict[str, operations.CitableLine]
    rejections: Rejections
    corrections: "Corrections"

    def known(
        self, text: str, but: Sequence[operations.LivingStatement] = ()
    ) -> operations.LivingStatement | None: ...

    def ended_on(self, text: str) -> Iterable[date]: ...

    def is_outside(self, said: operations.CitableLine) -> bool: ...

    def ending(self, operation: operations.Operation) -> Sequence[operations.LivingStatement]: ...


@dataclass(frozen=True)
class Case:
    """One operation with what it names, found among what is there."""

    night: Night
    operation: operations.Operation
    old: tuple[operations.LivingStatement, ...]
    said: tuple[operations.CitableLine, ...]

    @property
    def flags(self) -> set[str]:
        """What nobody has let stand yet."""
        return flags_of(self.operation.text, KnownLines(self.given))

    @property
    def given(self) -> list[str]:
        return [*(one.text for one in self.said), *(one.text for one in self.old)]

    @property
    def is_outside(self) -> bool:
        return self.night.material.is_outside or any(map(self.night.is_outside, self.said))

    @cached_property
    def claim(self) -> Claim:
        """Read as it was on the day when it was said."""
        at = self.by().said_at
        claim = claim_of(self.operation.text, at.date() if at else None)
        told = next((one.claim for one in self.said if one.claim.act is Act.CORRECTS), None)
        if told is not None and claim.key is None:  # "Correction: Ines likes tea, not coffee."
            claim = replace(claim, act=told.act, value=told.value, old=told.old)
        if self.operation.does is operations.Does.REPLACE and claim.key is None:  # "Lives in Faro."
            claim = next((it.claim for it in self.said if self._tells(it.claim)), claim)
        claim = operations.meant(claim, self.operation.text, self.by(), self.night.material.names)
        return replace(claim, kind=self.operation.kind or claim.kind)

    def _tells(self, claim: Claim) -> bool:
        """The value of what is cited, and for what it replaces."""
        words = set(read(self.operation.text).words)
        is_old = any(claim.key is not None and one.claim.key == claim.key for one in self.old)
        return is_old and set(read(claim.value).words) <= words

    def by(self) -> operations.Utterance:
        """Said last by the latest source, and as trusted as the weakest that is cited."""
        if not self.said:
            return max((one.by for one in self.old), key=_moment)
        newest = max((one.by for one in self.said), key=_moment)
        weight = min(one.by.weight for one in self.said)
        return replace(newest, weight=weight, is_word=all(one.by.is_word for one in self.said))

    def statement(self, id: str) -> operations.LivingStatement:
        text, sources = self.operation.text, self.operation.sources
        return operations.LivingStatement(id, text, self.claim, self.by(), sources=sources)


class Corrections:
    """What people took back, to be asked which of it a text brings again."""

    def __init__(self, corrections: Sequence[operations.Correction]) -> None:
        self._by_text: dict[str, list[operations.Correction]] = defaultdict(list)
        self._by_value: dict[_Value, list[operations.Correction]] = defaultdict(list)
        for one in corrections:
            self._by_text[one.text].append(one)
            if one.claim.key:
                self._by_value[_value(one.claim)].append(one)
        self._lookup = Lookup(self._by_text)

    @property
    def texts(self) -> Iterable[str]:
        return self._by_text

    def of(self, text: str, claim: Claim) -> Iterator[operations.Correction]:
        for other in (*self._lookup.covering(text), *self._lookup.within(text)):
            yield from self._by_text[other]
        yield from self._by_value.get(_value(claim), ())


_Value = tuple[tuple[str, str] | None, str]


def _value(claim: Claim) -> _Value:
    return claim.key, normalise(claim.value)


_Values = Mapping[str, str | int]


@dataclass(frozen=True)
class Check:
    """`check` answers None where the operation passes, else the values of its sentence."""

    code: str
    of: frozenset[operations.Does]
    check: Callable[[Case], _Values | None]


def _fails(found: object) -> _Values | None:
    return {} if found else None


def _has_no_source(case: Case) -> bool:
    known = {*case.night.said, *case.night.living}
    is_merge = case.operation.does is operations.Does.MERGE and len(case.old) > 1
    return not set(case.operation.sources) <= known or not (case.said or is_merge)


def _is_unsupported(case: Case) -> bool:
    """What it says must stand in what is cited, or in what it takes the place of."""
    names = {*case.night.material.names, *(one.by.name or one.by.speaker for one in case.said)}
    olds = [one.text for one in (*case.old, *case.night.ending(case.operation))]
    return not is_said(case.operation.text, [_heard(one) for one in case.said], olds, names)


def _heard(said: operations.CitableLine) -> Citation:
    at = said.by.said_at
    return Citation(said.text, at.date() if at else None)


def _speaks_of_another(case: Case) -> bool:
    """No line that is cited speaks of what the operation replaces."""
    return not any(
        old.is_hidden
        or (old.claim.key is not None and old.claim.key == one.claim.key)
        or shares_word(one.text, old.text)
        for old in case.old
        for one in case.said
    )


def _is_corrected(case: Case) -> bool:
    """Taken back by a person, and not said by the owner since."""
    by, found = case.by(), case.night.corrections.of(case.operation.text, case.claim)
    return any(
        one.is_persons and not (by.is_word and operations.is_later(by.said_at, one.at))
        for one in found
    )


def _has_left(case: Case) -> bool:
    """It left memory or ended there, and nobody has said it since."""
    by, found = case.by(), case.night.corrections.of(case.operation.text, case.claim)
    if any(not removal_rules.is_after(by, on) for on in case.night.ended_on(case.operation.text)):
        return True
    return any(not one.is_persons and not operations.is_later(by.said_at, one.at) for one in found)


def _is_rejected(case: Case) -> bool:
    texts = {case.operation.text, *(one.text for one in case.said)}
    return any(map(case.night.rejections.has, texts))


def _touches_person(case: Case) -> bool:
    """Only somebody's own later word moves what they wrote."""
    by = [one.by for one in case.said]
    return any(
        one.is_persons
        and not one.is_hidden
        and not any(
            may_replace(it, one) and operations.is_later(it.said_at, one.by.said_at) for it in by
        )
        for one in case.old
    )


def _loses(case: Case) -> bool:
    """A merged line tells every word of weight of those that it stands for."""
    told = read(case.operation.text)
    words = {*told.words, *told.names}
    olds = [read(one.living) for one in case.old]
    return any(
        not (one.numbers <= told.numbers and one.names <= words)
        or not one.heavy <= words
        or one.negated != told.negated
        for one in olds
    )


def _is_known(case: Case) -> bool:
    text = case.operation.text
    return {one.text for one in case.old} == {text} or bool(case.night.known(text, case.old))


def _lacks_words(case: Case) -> bool:
    """They stand in the sentence, and haven't ended."""
    words = case.operation.words
    return not any(
        can_mark(one.text, words) and all(words not in it.words for it in one.ended)
        for one in case.old
    )


def _is_cancelled(case: Case) -> bool:
    """What it says is off is known here; else that is news in itself."""
    claim, text, left = case.claim, case.operation.text, case.night.corrections.texts
    known = (one.text for one in case.night.living.values() if one.text != text)
    return claim.act is Act.CANCELS and any(
        takes_back(claim, other) or ended_in(text, other) for other in (*known, *left)
    )


_TEXTS = frozenset({operations.Does.ADD, operations.Does.REPLACE, operations.Does.MERGE})
_OLDS = frozenset({operations.Does.REPLACE, operations.Does.MERGE, operations.Does.RETIRE})
_END = frozenset({operations.Does.END})
_MERGE = frozenset({operations.Does.MERGE})


def _of(does: frozenset[operations.Does], code: str, fails: Callable[[Case], object]) -> Check:
    return Check(code, does, lambda case: _fails(fails(case)))


CHECKS: tuple[Check, ...] = (
    _of(
        _OLDS | _END,
        "unknown_statement",
        lambda c: not c.old or len(c.old) < len({*c.operation.old}),
    ),
    _of(
        _TEXTS,
        "secret",
        lambda c: c.operation.had_secret or credentials.find(c.operation.text),
    ),
    _of(_TEXTS, "empty", lambda c: not read(c.operation.text).words),
    Check(
        "too_long",
        _TEXTS,
        lambda c: {"limit": LONGEST_LINE} if len(c.operation.text) > LONGEST_LINE else None,
    ),
    _of(_TEXTS | _END, "no_source", _has_no_source),
    _of(_END, "no_words", _lacks_words),
    _of(
        _TEXTS,
        "address",
        lambda c: addresses_in([c.operation.text]) - addresses_in(c.given),
    ),
    _of(_OLDS, "pinned", lambda c: any(one.is_pinned for one in c.old)),
    _of(_OLDS | _END, "flagged", lambda c: any(one.is_flagged for one in c.old)),
    _of(_TEXTS, "orders", lambda c: c.flags - {ADDRESSES}),
    _of(_OLDS - {operations.Does.REPLACE} | _END, "persons_word", _touches_person),
    _of(_TEXTS, "forgotten", lambda c: c.night.material.is_forgotten(c.operation.text)),
    _of(_TEXTS, "corrected", _is_corrected),
    _of(_TEXTS, "over", lambda c: is_over(c.claim, c.night.material.today)),
    _of(_TEXTS, "known", _is_known),
    _of(_TEXTS, "left", _has_left),
    _of(_TEXTS, "rejected", _is_rejected),
    _of(
        frozenset({operations.Does.ADD}),
        "cancels",
        _is_cancelled,
    ),
    _of(_MERGE, "loses", _loses),
    _of(_TEXTS, "unsupported", _is_unsupported),
    _of(frozenset({operations.Does.REPLACE}), "unrelated", _speaks_of_another),
)


def _moment(by: operations.Utterance) -> float:
    return by.said_at.timestamp() if by.said_at else float("-inf")
