"""The night: operations, judged one after the other, each by itself. Pure.

One that fails a check is left out with a code of `reasons.LEFT_OUT`; the others are carried out.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from memoryweb.dreaming import removal_rules
from memoryweb.dreaming.candidates import as_line
from memoryweb.dreaming.operation_checks import CHECKS, Case, Corrections
from memoryweb.dreaming.operations import (
    CitableLine,
    Does,
    LivingStatement,
    Material,
    Operation,
    Result,
    Waits,
    Why,
    is_later,
)
from memoryweb.dreaming.removal_rules import is_ended, rests
from memoryweb.language.extraction_rules import Claim
from memoryweb.language.normal_form import read
from memoryweb.language.statement_comparison import Lookup, fingerprint, says_all_of
from memoryweb.memory.writing.proposing import Rejections

MOST = 200  # operations that are looked at in a night
_OTHERWISE = frozenset({Why.SUPERSEDED, Why.ASKED})
_OF_A_REST = frozenset({"orders", "forgotten", "corrected", "over", "known", "left", "rejected"})
# What it says may be true all the same, beside what it was to replace.
_BESIDE = frozenset({"unrelated", "unproved", "untold", "persons_word"})


def decide(material: Material, operations: Sequence[Operation]) -> tuple[Result, ...]:
    """One result an operation, in their order; later ones see what earlier ones did. Then what
    leaves by itself: what its owner said otherwise about, what is over, and of two that say the
    same the lesser one."""
    night = _Night(material)
    judged = [night.judge(operation) for operation in operations[:MOST]]
    left = [Result(one, "too_many", {"limit": MOST}) for one in operations[MOST:]]
    done = [*judged, *left, *night.tidy()]
    return (*done, *night.beside, *night.rests(done))


def living_after(material: Material, results: Iterable[Result]) -> tuple[LivingStatement, ...]:
    living = {one.id: one for one in material.living}
    for result in results:
        if result.is_applied:
            for one in result.gone:
                living.pop(one.id, None)
            if result.new is not None:
                living[result.new.id] = result.new
    return tuple(living.values())


class _Night:
    """The statements as the night's operations leave them, one after the other."""

    def __init__(self, material: Material) -> None:
        self.material = material
        self.living = {one.id: one for one in material.living}
        self.said = {one.ref: one for one in material.said}
        self.rejections = Rejections(material.rejected)
        self.corrections = Corrections(material.corrections)
        self._made = 0
        self.beside: list[Result] = []  # what went with what was judged, for another reason
        self._by_text: dict[str, list[str]] = {}
        self._by_key: dict[tuple[str, str] | None, list[str]] = {}
        self._lookup = Lookup()
        # What waits for a person stands for nothing: no rival, and nobody's duplicate.
        self._waiting = {fingerprint(one.text): one for one in material.living if one.is_flagged}
        for one in material.living:
            if not one.is_flagged:
                self._learn(one)

    def _learn(self, one: LivingStatement) -> None:
        self._by_text.setdefault(one.text, []).append(one.id)
        self._by_key.setdefault(one.claim.key, []).append(one.id)
        self._lookup.add(one.text)

    def judge(self, operation: Operation) -> Result:
        """A value that is proved comes in, though not that the old one is over: a person is asked
        whether it replaces that."""
        found = self._judged(operation)
        if operation.does is not Does.REPLACE or found.code not in _BESIDE:
            return found
        old = self.living[operation.old[0]]
        beside = self._judged(replace(operation, does=Does.ADD, old=()))
        return replace(beside, against=old) if beside.is_applied else found

    def _judged(self, operation: Operation) -> Result:
        case = Case(
            self,
            operation,
            tuple(self.living[one] for one in dict.fromkeys(operation.old) if one in self.living),
            tuple(self.said[one] for one in operation.sources if one in self.said),
        )
        for row in CHECKS:
            if operation.does in row.of and (found := row.check(case)) is not None:
                known = self.known(operation.text, case.old) if row.code == "known" else None
                return Result(operation, row.code, found, against=known)
        return self._retire(case) if operation.does is Does.RETIRE else self._write(case)

    def tidy(self) -> Iterator[Result]:
        for one in list(self.living.values()):
            if one.is_outdated:
                yield self._outdated(one)
        for one in list(self.living.values()):
            if removal_rules.is_done(one, self.material.today) and not one.is_pinned:
                yield self._leaves(one, Why.EXPIRED)
        endings = [one for one in self.material.said if one.claim.act in removal_rules.OVER]
        for said in (one for one in endings if not self.is_outside(one)):
            for one in list(self.living.values()):
                # Nobody named what goes: that takes the very claim, and not any clause.
                is_meant = removal_rules.ends(said.claim, one) and is_ended(said, one)
                if not one.is_pinned and one.text != said.text and is_meant:
                    yield self._leaves(one, Why.CANCELLED, (said.ref,))
        for one in sorted(self.living.values(), key=lambda one: (one.value, len(one.text))):
            others = (other for other in self.near(one.text, one.claim) if other is not one)
            if not one.is_fixed and any(
                removal_rules.says_all(other.text, one.text) for other in others
            ):
                yield self._leaves(one, Why.DUPLICATE)

    def rests(self, results: Iterable[Result]) -> Iterator[Result]:
        """What stood in a statement beside the value that is no more, and holds nonetheless."""
        for result in results:
            newer = result.new or result.against
            if not (result.is_applied and newer and result.why in _OTHERWISE):
                continue
            for old in result.gone:
                for text in rests(old.text, newer.text):
                    case = Case(self, Operation(Does.ADD, text, sources=(old.id,)), (old,), ())
                    if all(row.check(case) is None for row in CHECKS if row.code in _OF_A_REST):
                        new = replace(case.statement(f"new-{self._made}"), sources=old.sources)
                        yield self._done(case, {}, replace(new, also=(old.id,)))

    def is_outside(self, said: CitableLine) -> bool:
        return said.is_outside or self.material.is_outside

    def _outdated(self, one: LivingStatement) -> Result:
        """What its owner said instead takes its place, though nobody brought that."""
        newer = next((other for other in self.living.values() if _is_instead(other, one)), None)
        said = [self.said[ref] for ref in one.against if ref in self.said]
        for other in (it for it in said if newer is None and it.claim.key == one.claim.key):
            text = as_line(other.text)
            result = self.judge(Operation(Does.REPLACE, text, (one.id,), (other.ref,)))
            if result.is_applied:
                return result
        is_ended = any(it.claim.act in removal_rules.OVER for it in said)
        why = Why.CANCELLED if is_ended else Why.ASKED
        if newer is not None:
            why = removal_rules.why_replaced(one, newer) or why
        return self._leaves(one, why, one.against, newer)

    def _leaves(
        self,
        one: LivingStatement,
        why: Why,
        sources: tuple[str, ...] = (),
        newer: LivingStatement | None = None,
    ) -> Result:
        del self.living[one.id]
        operation = Operation(Does.RETIRE, old=(one.id,), sources=sources, why=why)
        return Result(operation, gone=(one,), why=why, against=newer)

    def near(self, text: str, claim: Claim) -> list[LivingStatement]:
        """Those that say all of the text, restate it or may contradict it."""
        texts = [
            *self._lookup.covering(text),
            *self._lookup.restating(text),
            *self._lookup.opposing(text),
        ]
        near = {one.id: one for one in self._living(dict.fromkeys(texts))}
        if claim.key is not None:
            ids = self._by_key.get(claim.key, ())
            near |= {id: self.living[id] for id in ids if id in self.living}
        found = (near | self.living if claim.is_against else near).values()
        return [one for one in found if not one.is_flagged]

    def known(self, text: str, but: Sequence[LivingStatement] = ()) -> LivingStatement | None:
        """Of two that say the same in other words the longer one is the one to keep."""
        said = list(self._lookup.covering(text))
        within = set(self._lookup.within(text))
        mutual = [other for other in within if says_all_of(other, text)]
        close = {*self._lookup.restating(text), *mutual} - set(said)
        said += [one for one in close if one not in within or _length(one) >= _length(text)]
        known = (one for one in self._living(said) if one not in but and not one.is_hidden)
        return next(known, None) or self._waiting.get(fingerprint(text))

    def within(self, text: str) -> list[LivingStatement]:
        """Those of which it says all, and that it may take in."""
        return [one for one in self._living(self._lookup.within(text)) if not one.is_fixed]

    def _living(self, texts: Iterable[str]) -> Iterator[LivingStatement]:
        ids = (id for text in texts for id in self._by_text[text])
        return (self.living[id] for id in ids if id in self.living)

    def _retire(self, case: Case) -> Result:
        why = removal_rules.proved(
            case.operation.why, case.old, case.said, self.material, self._others(case.old)
        )
        if why is None:
            return Result(case.operation, "unproved")
        return self._done(case, dict.fromkeys(case.old, why))

    def _others(self, olds: Sequence[LivingStatement]) -> list[LivingStatement]:
        return [one for old in olds for one in self.near(old.text, old.claim) if one not in olds]

    def _write(self, case: Case) -> Result:
        is_merge = case.operation.does is Does.MERGE
        new = case.statement(f"new-{self._made}")
        rivals = [one for one in self._rivals(new) if one not in case.old]
        for one in (*rivals, *(() if is_merge else case.old)):
            if (kept := self._judge_rival(case, new, one)) is not None:
                return kept
        gone = tuple(dict.fromkeys((*case.old, *rivals, *self.within(new.text))))
        proofs = {one: removal_rules.why_replaced(one, new, case.said) for one in gone}
        if is_merge:
            proofs |= dict.fromkeys(case.old, Why.DUPLICATE)
        whys = {one: why for one, why in proofs.items() if why is not None}
        if len(whys) < len(gone):
            return Result(case.operation, "unproved")
        same = [one.id for one in gone if is_merge or says_all_of(new.text, one.text)]
        return self._done(case, whys, replace(new, also=tuple(same)))

    def _rivals(self, new: LivingStatement) -> list[LivingStatement]:
        hidden = [one for one in self.living.values() if set(one.against) & set(new.sources)]
        near = [one for one in self.near(new.text, new.claim) if one not in hidden]
        return [
            *hidden,
            *(
                one
                for one in near
                if removal_rules.is_rival(new, one) or removal_rules.disagree(new, one)
            ),
        ]

    def _judge_rival(self, case: Case, new: LivingStatement, old: LivingStatement) -> Result | None:
        """None where the new statement may take the old one's place."""
        if old.is_pinned:
            return Result(case.operation, "pinned", against=old)
        is_contrary = removal_rules.is_rival(new, old) or removal_rules.disagree(new, old)
        if not is_contrary and not old.is_persons and says_all_of(new.text, old.text):
            return None  # nothing is lost
        if is_later(old.by.said_at, new.by.said_at) and removal_rules.may_replace(old.by, new):
            code = "outdated" if new.by.said_at else "undated"
            return Result(case.operation, code, against=old)
        if is_later(new.by.said_at, old.by.said_at) and removal_rules.may_replace(new.by, old):
            return None
        if not is_contrary:
            code = "persons_word" if old.is_persons else "untold"
            return Result(case.operation, code, against=old)
        return Result(case.operation, new=new, against=old, waits=Waits.RIVAL)

    def _done(
        self, case: Case, whys: Mapping[LivingStatement, Why], new: LivingStatement | None = None
    ) -> Result:
        """What goes for another reason than the first is told by itself."""
        waits = Waits.OUTSIDE if case.is_outside else None
        if waits is None:
            for one in whys:
                self.living.pop(one.id, None)
            if new is not None:
                self.living[new.id] = new
                self._learn(new)
                self._made += 1
        by_why: dict[Why, list[LivingStatement]] = {}
        for one, why in whys.items():
            by_why.setdefault(why, []).append(one)
        first, *others = by_why or {Why.SUPERSEDED: []}
        for why in others:
            ids = tuple(one.id for one in by_why[why])
            operation = Operation(Does.RETIRE, old=ids, sources=case.operation.sources, why=why)
            gone = tuple(by_why[why])
            self.beside.append(Result(operation, gone=gone, against=new, why=why, waits=waits))
        gone = tuple(by_why.get(first, ()))
        return Result(case.operation, gone=gone, new=new, why=first, waits=waits)


def _length(text: str) -> tuple[int, str]:
    return len(read(text).words), text


def _is_instead(newer: LivingStatement, hidden: LivingStatement) -> bool:
    """It is what the owner of a hidden statement said against it, or holds its key since."""
    if newer.is_hidden:
        return False
    is_later_value = newer.claim.key is not None and newer.claim.key == hidden.claim.key
    is_later_value = is_later_value and is_later(newer.by.said_at, hidden.by.said_at)
    return is_later_value or bool(set(newer.sources) & set(hidden.against))
