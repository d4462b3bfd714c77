"""The night: operations, judged one after the other, each by itself. Pure.

One that fails a check is left out with a code of `reasons.LEFT_OUT`; the others are carried out.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

from memoryweb.dreaming import removal_rules
from memoryweb.dreaming.candidates import as_line
from memoryweb.dreaming.operation_checks import CHECKS, Case, Corrections
from memoryweb.dreaming.operations import (
    UNJUDGED,
    CitableLine,
    Does,
    LivingStatement,
    Marked,
    Material,
    Operation,
    Result,
    Utterance,
    Waits,
    Why,
    is_later,
)
from memoryweb.dreaming.removal_rules import is_ended
from memoryweb.dreaming.standing import Standing
from memoryweb.language.clauses import dates_meant
from memoryweb.language.ending import tells_change
from memoryweb.language.statement_comparison import covers, says_all_of
from memoryweb.language.support import is_earnest
from memoryweb.markdown.marks import Ended
from memoryweb.memory.writing.proposing import Rejections

MOST = 200  # operations that are looked at in a night
_NEVER = datetime.max.replace(tzinfo=UTC)
_OTHERWISE = frozenset({Why.SUPERSEDED, Why.CANCELLED, Why.ASKED})
_TOLD = frozenset({"cancels", "known", "over"})
# What it says may be true all the same, beside what it was to replace.
_BESIDE = frozenset({"unrelated", "unproved", "untold", "persons_word"})


def decide(material: Material, operations: Sequence[Operation]) -> tuple[Result, ...]:
    """One result an operation, in their order; later ones see what earlier ones did. Then what
    leaves by itself: what its owner said otherwise about, what is over, and of two that say the
    same the lesser one."""
    night = _Night(material, operations[:MOST])
    judged = [night.judge(operation) for operation in operations[:MOST]]
    left = [Result(one, UNJUDGED, {"limit": MOST}) for one in operations[MOST:]]
    done = [*judged, *left, *night.take_beside()]
    for result in night.tidy():
        done += [result, *night.take_beside()]
    return tuple(done)


def living_after(material: Material, results: Iterable[Result]) -> tuple[LivingStatement, ...]:
    living = {one.id: one for one in material.living}
    for result in results:
        if result.is_applied:
            for one in result.gone:
                living.pop(one.id, None)
            if result.marked is not None and result.marked.was.id in living:
                living[result.marked.was.id] = result.marked.now
            if result.new is not None:
                living[result.new.id] = result.new
    return tuple(living.values())


class _Night(Standing):
    """The statements as the night's operations leave them, one after the other."""

    def __init__(self, material: Material, operations: Sequence[Operation] = ()) -> None:
        self.material = material
        self._ends = [one for one in operations if one.does is Does.END]
        super().__init__(material.living)
        self.said = {one.ref: one for one in material.said}
        self.rejections = Rejections(material.rejected)
        self.corrections = Corrections(material.corrections)
        self._made = 0
        self._proved: set[tuple[str, str]] = set()  # lines, and statements of which they end words
        self._unsaid: set[str] = set()  # lines that don't say what was made of them
        self._beside: list[Result] = []  # what went with what was judged, or ended

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
        if operation.does is Does.END:
            operation = self._named(operation)
        case = Case(
            self,
            operation,
            tuple(self.living[one] for one in dict.fromkeys(operation.old) if one in self.living),
            tuple(self.said[one] for one in operation.sources if one in self.said),
        )
        for row in CHECKS:
            if operation.does in row.of and (found := row.check(case)) is not None:
                known = self.known(operation.text, case.old) if row.code == "known" else None
                if row.code == "unsupported" and operation.does is Does.ADD:
                    self._unsaid |= {*operation.sources}
                return Result(operation, row.code, found, against=known)
        does = {Does.RETIRE: self._retire, Does.END: self._end}
        return does.get(operation.does, self._write)(case)

    def _named(self, operation: Operation) -> Operation:
        """What a line of this night became is what it is called by."""
        made = {ref: one.id for one in self.living.values() for ref in one.sources}
        return replace(operation, old=tuple(made.get(one, one) for one in operation.old))

    def ending(self, operation: Operation) -> list[LivingStatement]:
        """What ends by the same lines as something new comes in, in whose place that stands."""
        if operation.does is not Does.ADD:
            return []
        ends = (self._named(one) for one in self._ends if set(one.sources) & set(operation.sources))
        olds = [(self.living[id], it) for it in ends for id in it.old if id in self.living]
        cited = [self.said[ref] for ref in operation.sources if ref in self.said]
        return [one for one, it in olds if any(self._ended_words(it, one, said) for said in cited)]

    def take_beside(self) -> list[Result]:
        found, self._beside = self._beside, []
        return found

    def tidy(self) -> Iterator[Result]:
        for one in list(self.living.values()):
            if one.is_outdated:
                yield self._outdated(one)
        yield from self._over()
        for said in [*self._news()]:
            yield from self._told(said)
        for said in [one for ref, one in self.said.items() if ref in self._unsaid]:
            is_told = said.by.is_word or any(said.ref == ref for ref, _old in self._proved)
            if is_told and not self._has(said):  # in their words, then
                yield self.judge(Operation(Does.ADD, as_line(said.text), sources=(said.ref,)))
        for one in sorted(self.living.values(), key=lambda one: (one.value, len(one.text))):
            others = (other for other in self.near(one.text, one.claim) if other is not one)
            if not one.is_fixed and any(
                removal_rules.says_all(other.living, one.living) for other in others
            ):
                yield self._leaves(one, Why.DUPLICATE)

    def _over(self) -> Iterator[Result]:
        today = self.material.today
        for one in list(self.living.values()):
            its = one.marks if one.is_pinned else ()  # a revert takes marks off other lines itself
            freed = [it for text, it in its if (text, it) in self.material.freed]
            later = [it for it in one.ended if removal_rules.is_after(one.by, it.on)]
            if back := [*freed, *later]:
                yield self._again(one, back)
            elif removal_rules.is_done(one, today) and not one.is_pinned:
                words, last = removal_rules.words_over(one, today)
                words = (one.text,) if one.is_timed else words
                yield self._settle(one, words, last + timedelta(days=1), Why.EXPIRED)

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
            said = said or [newer.line]
        for it in said:
            if words := removal_rules.words_replaced(it.statement, one):
                return self._ended_by(it, one, words, why, newer)
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

    def _news(self) -> Iterator[CitableLine]:
        """What tells that something is so no longer: lines of notes in their order, and what was
        said ahead of the day from which on it holds."""
        today = self.material.today
        first = min((_moment(one.by) for one in self.living.values()), default=_NEVER)
        lines = sorted(self.material.said, key=lambda one: _moment(one.by))
        for said in lines:
            claim = said.claim
            if _moment(said.by) <= first or self.is_outside(said):  # it ends nothing
                continue
            tells = claim.act in removal_rules.OVER or claim.is_against or tells_change(said.text)
            if tells and not removal_rules.is_ahead(claim, today):
                yield said
        for one in list(self.living.values()):
            if removal_rules.begins(one, today) and not one.is_flagged:
                yield one.line

    def _told(self, said: CitableLine) -> Iterator[Result]:
        """What it says instead comes in though nobody brought it: nothing ends without that."""
        over = [one for one in self.living.values() if self._told_over(said, one)]
        if over and not self._has(said):
            result = self.judge(Operation(Does.ADD, as_line(said.text), sources=(said.ref,)))
            if result.is_applied:
                yield result
            elif result.code not in _TOLD:
                return
        for one in over:
            standing = self.living.get(one.id)
            if standing and (words := self._told_over(said, standing)):
                yield self._ended_by(said, standing, words)

    def _has(self, said: CitableLine) -> bool:
        return any(said.ref in {one.id, *one.sources} for one in self.living.values())

    def _told_over(self, said: CitableLine, one: LivingStatement) -> tuple[str, ...]:
        """Words of a statement that somebody who may said later to be so no longer."""
        is_itself = said.ref in {one.id, *one.sources} or one.text == said.text
        is_told = is_itself or (said.ref, one.id) in self._proved  # by the words that were named
        if is_told or one.is_flagged or not is_later(said.by.said_at, one.by.said_at):
            return ()
        if removal_rules.are_two(said.claim, one.claim):
            return ()
        if not removal_rules.may_replace(said.by, one) or not is_earnest(said.text, one.text):
            return ()
        if words := removal_rules.words_ended(said, one):
            return tuple(it for it in words if not self._is_said_since(it, said))
        # Nobody named what goes: that takes the very claim, and not any clause.
        standing = removal_rules.now(one)
        is_meant = removal_rules.ends(said.claim, standing) and is_ended(said, standing)
        has_begun = said.ref in self.living and removal_rules.is_rival(said.statement, standing)
        is_meant = is_meant or has_begun
        is_meant = is_meant and not one.is_pinned
        return removal_rules.words_replaced(said.statement, one) if is_meant else ()

    def _is_said_since(self, words: str, said: CitableLine) -> bool:
        """Whoever said that it was over said since that it is so."""
        return any(
            it.by.speaker == said.by.speaker
            and is_later(it.by.said_at, said.by.said_at)
            and covers(it.text, words)
            for it in self.material.said
        )

    def _ended_by(
        self,
        said: CitableLine,
        one: LivingStatement,
        words: tuple[str, ...],
        why: Why | None = None,
        newer: LivingStatement | None = None,
    ) -> Result:
        made = (it for it in self.living.values() if said.ref in {it.id, *it.sources})
        newer = newer or next(made, None)
        why = why or (Why.SUPERSEDED if newer and newer is not one else Why.CANCELLED)
        on = removal_rules.first_day(said, one)
        return self._settle(one, words, on, why, (said.ref,), newer)

    def _settle(
        self,
        one: LivingStatement,
        words: tuple[str, ...],
        on: date,
        why: Why,
        sources: tuple[str, ...] = (),
        newer: LivingStatement | None = None,
    ) -> Result:
        """The words get their mark; a statement with nothing else of value leaves."""
        marked = removal_rules.with_marks(one, words, on)
        if not removal_rules.stays(marked):
            return self._leaves(one, why, sources, newer)
        self.living[one.id] = marked.now
        operation = Operation(Does.END, "", (one.id,), sources, why, " … ".join(words), on)
        return Result(operation, marked=marked, why=why, against=newer)

    def _again(
        self, one: LivingStatement, back: Sequence[Ended], sources: tuple[str, ...] = ()
    ) -> Result:
        """What had ended was said or confirmed since."""
        marked = Marked(one, tuple(it for it in one.ended if it not in back))
        self.living[one.id] = marked.now
        operation = Operation(Does.END, "", (one.id,), sources)
        return Result(operation, marked=marked)

    def _retire(self, case: Case) -> Result:
        why = removal_rules.proved(
            case.operation.why, case.old, case.said, self.material, self._others(case.old)
        )
        if why is None:
            return Result(case.operation, "unproved")
        ends = {}
        for old in case.old:
            marked = self._rest(case, old, why)
            if marked is not None and removal_rules.stays(marked):
                ends[old] = marked, why
        whys = {old: why for old in case.old if old not in ends}
        return self._done(case, whys, ends=ends)

    def _rest(self, case: Case, old: LivingStatement, why: Why) -> Marked | None:
        """What would be left of a statement that goes for that reason, if that ends but a part."""
        if why is Why.EXPIRED:
            words, last = removal_rules.words_over(old, self.material.today)
            return removal_rules.with_marks(old, words, last + timedelta(days=1))
        if why is Why.SUPERSEDED:
            others = (one.line for one in self._others([old]))
            found = (it for it in others if removal_rules.supersedes(it.statement, old))
        else:
            found = (it for it in case.said if is_ended(it, old))
        said = next(found, None) if why in _OTHERWISE else None
        if said is None:
            return None
        words = removal_rules.words_replaced(said.statement, old)
        return removal_rules.with_marks(old, words, removal_rules.first_day(said, old))

    def _end(self, case: Case) -> Result:
        """Of the words that were named those of which code proves it."""
        words = case.operation.words
        old = next(one for one in case.old if words in one.text)
        for said in case.said:
            if proved := self._ended_words(case.operation, old, said):
                self._proved.add((said.ref, old.id))
                if removal_rules.is_ahead(said.claim, self.material.today):
                    return Result(case.operation, "ahead", against=old)
                meant = set(filter(None, (case.operation.on,)))
                day = said.by.said_at.date() if said.by.said_at else None
                named = meant & {*dates_meant(said.text, day)}
                on = max(named, default=removal_rules.first_day(said, old))
                marked = removal_rules.with_marks(old, proved, on)
                why = case.operation.why
                if removal_rules.stays(marked):
                    return self._done(case, {}, ends={old: (marked, why)})
                return self._done(case, {old: why})
        return Result(case.operation, "unproved", against=old)

    def _ended_words(
        self, operation: Operation, old: LivingStatement, said: CitableLine
    ) -> tuple[str, ...]:
        """One piece of news ends one thing, where code hardly sees that it does: neither does it
        end another by itself, nor does the model say so."""
        ends = {(it.old, it.words) for it in self._ends if said.ref in it.sources}
        others = (one for one in self.living.values() if said.ref not in one.sources)
        is_alone = len(ends) == 1 and not any(
            removal_rules.words_ended(said, one) for one in others
        )
        return removal_rules.words_proved(operation.words, old, said, is_alone=is_alone)

    def _others(self, olds: Sequence[LivingStatement]) -> list[LivingStatement]:
        return [one for old in olds for one in self.near(old.text, old.claim) if one not in olds]

    def _write(self, case: Case) -> Result:
        is_merge = case.operation.does is Does.MERGE
        new = case.statement(f"new-{self._made}")
        named = (*case.old, *self.ending(case.operation))
        rivals = [one for one in self._rivals(new) if one not in named]
        new, rivals = removal_rules.outlasting(new, rivals)
        for one in (*rivals, *(() if is_merge else case.old)):
            if (kept := self._judge_rival(case, new, one)) is not None:
                return kept
        gone = tuple(dict.fromkeys((*case.old, *rivals, *self.within(new.text))))
        if removal_rules.is_ahead(new.claim, self.material.today) and not is_merge:
            gone = tuple(self.within(new.text))
        proofs = {one: self._why_replaced(case, new, one) for one in gone}
        if is_merge:
            proofs |= dict.fromkeys(case.old, Why.DUPLICATE)
        whys = {one: why for one, why in proofs.items() if why is not None}
        if len(whys) < len(gone):
            return Result(case.operation, "unproved")
        ends = self._partly(case, new, whys)
        whys = {one: why for one, why in whys.items() if one not in ends}
        back = [one for one in self.ended_in(new.text) if removal_rules.has_all(one, new.text)]
        back = [one for one in back if one not in whys]
        if back and not is_merge:
            holds = removal_rules.again(new.text, back[0])
            self._beside.append(self._again(back[0], holds, case.operation.sources))
            return self._done(case, whys, ends=ends)
        same = [one.id for one in gone if is_merge or says_all_of(new.text, one.text)]
        return self._done(case, whys, replace(new, also=tuple(same)), ends)

    def _why_replaced(self, case: Case, new: LivingStatement, old: LivingStatement) -> Why | None:
        why = removal_rules.why_replaced(removal_rules.now(old), new, case.said)
        is_told = why is None and removal_rules.may_replace(new.by, old)
        is_told = is_told and is_later(new.by.said_at, old.by.said_at)
        words = (removal_rules.words_ended(said, old) for said in case.said)
        return Why.SUPERSEDED if is_told and any(words) else why

    def _partly(
        self, case: Case, new: LivingStatement, whys: Mapping[LivingStatement, Why]
    ) -> "Ends":
        """Those of which something of value remains beside what the new statement ends."""
        said = max(case.said, key=lambda it: _moment(it.by), default=new.line)
        ends = {}
        for one, why in whys.items():
            if why in _OTHERWISE and case.operation.does is not Does.MERGE:
                words = [removal_rules.words_ended(it, one) for it in case.said]
                found = next(filter(None, words), removal_rules.words_replaced(new, one))
                marked = removal_rules.with_marks(one, found, removal_rules.first_day(said, one))
                if removal_rules.stays(marked) and not removal_rules.says_rest(
                    new.text, case.said, marked.now
                ):
                    ends[one] = marked, why
        return ends

    def _rivals(self, new: LivingStatement) -> list[LivingStatement]:
        hidden = [one for one in self.living.values() if set(one.against) & set(new.sources)]
        near = [one for one in self.near(new.text, new.claim) if one not in hidden]
        return [*hidden, *(one for one in near if _is_contrary(new, one))]

    def _judge_rival(self, case: Case, new: LivingStatement, old: LivingStatement) -> Result | None:
        """None where the new statement may take the old one's place."""
        if old.is_pinned:
            return Result(case.operation, "pinned", against=old)
        is_contrary = _is_contrary(new, old)
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
        self,
        case: Case,
        whys: Mapping[LivingStatement, Why],
        new: LivingStatement | None = None,
        ends: "Ends | None" = None,
    ) -> Result:
        """What goes for another reason than the first is told by itself, and so is what ends."""
        waits = Waits.OUTSIDE if case.is_outside else None
        if waits is None:
            for one in whys:
                self.living.pop(one.id, None)
            if new is not None:
                self.living[new.id] = new
                self.learn(new)
                self._made += 1
            for marked, _why in (ends or {}).values():
                self.living[marked.was.id] = marked.now
        ended = [
            Result(_ending(case, marked, why), marked=marked, why=why, against=new, waits=waits)
            for marked, why in (ends or {}).values()
        ]
        if ended and not whys and new is None:
            self._beside += ended[1:]
            return replace(ended[0], operation=case.operation)
        self._beside += ended
        by_why: dict[Why, list[LivingStatement]] = {}
        for one, why in whys.items():
            by_why.setdefault(why, []).append(one)
        first, *others = by_why or {Why.SUPERSEDED: []}
        for why in others:
            ids = tuple(one.id for one in by_why[why])
            operation = Operation(Does.RETIRE, old=ids, sources=case.operation.sources, why=why)
            gone = tuple(by_why[why])
            self._beside.append(Result(operation, gone=gone, against=new, why=why, waits=waits))
        gone = tuple(by_why.get(first, ()))
        return Result(case.operation, gone=gone, new=new, why=first, waits=waits)


Ends = Mapping[LivingStatement, tuple[Marked, Why]]


def _ending(case: Case, marked: Marked, why: Why) -> Operation:
    words = " … ".join(it.words for it in marked.newly)
    on = max((it.on for it in marked.newly), default=None)
    return Operation(Does.END, "", (marked.was.id,), case.operation.sources, why, words, on)


def _is_contrary(new: LivingStatement, old: LivingStatement) -> bool:
    return removal_rules.is_rival(new, old) or removal_rules.disagree(new, removal_rules.now(old))


def _moment(by: Utterance) -> datetime:
    return by.said_at or datetime.min.replace(tzinfo=UTC)


def _is_instead(newer: LivingStatement, hidden: LivingStatement) -> bool:
    """It is what the owner of a hidden statement said against it, or holds its key since."""
    if newer.is_hidden:
        return False
    is_later_value = newer.claim.key is not None and newer.claim.key == hidden.claim.key
    is_later_value = is_later_value and is_later(newer.by.said_at, hidden.by.said_at)
    return is_later_value or bool(set(newer.sources) & set(hidden.against))
