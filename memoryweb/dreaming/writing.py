"""What a night decided, written: MEMORY.md and PROFILE.md in one revision each, statements without
a line, rivals, and the proposal of what a person decides about."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from memoryweb.dreaming import inputs, rivals
from memoryweb.dreaming.candidates import Mention
from memoryweb.dreaming.consolidators import Consolidation, said_again
from memoryweb.dreaming.decisions import living_after
from memoryweb.dreaming.document import Document
from memoryweb.dreaming.inputs import Inputs, Text
from memoryweb.dreaming.operations import LivingStatement, Marked, Result, Waits, Why
from memoryweb.language.normal_form import normalise
from memoryweb.language.statement_comparison import fingerprint
from memoryweb.memory import facts as memory_facts
from memoryweb.memory import questions
from memoryweb.memory.lines.files import fresh
from memoryweb.memory.lines.origins import Origin, Source
from memoryweb.memory.lines.source_classes import BY_TRUST
from memoryweb.memory.models import AuthorKind, Evidence, Fact, File
from memoryweb.memory.models.writer import Memory, Place, Transaction, Writer
from memoryweb.memory.statements import evidence, moves
from memoryweb.memory.statements.bullets import Statement, statements_of
from memoryweb.memory.statements.evidence import Ground
from memoryweb.memory.statements.moves import Departure, stored
from memoryweb.memory.writing import proposing, write
from memoryweb.memory.writing.matrix import OUTSIDE
from memoryweb.memory.writing.write import WriteResult
from memoryweb.runs.models import Run

TEST = ("test", gettext_noop("It would turn a memory test red."))


def place(run: Run, path: str) -> Place:
    return Place(run.agent, run.owner, path)


def writer_of(run: Run) -> Writer:
    """What nobody in the team vouches for was sorted out, or is proposed."""
    return Writer(AuthorKind.DREAM, run=run, is_vouched=True)


def change(written: WriteResult) -> dict[str, Any]:
    return {
        "file": str(written.file.pk),
        "path": written.file.path,
        "before": written.before,
        "after": written.file.revision,
    }


def source_of(mention: Mention) -> Source:
    return Source(UUID(mention.file_id), mention.revision, mention.line)


class Night:
    """What is written of one night. `held`: why all of it waits for a person; empty where only
    what must does."""

    def __init__(
        self, tx: Transaction, run: Run, read: Inputs, made: Consolidation, held: str
    ) -> None:
        self.tx, self.run, self.read, self.made, self.held = tx, run, read, made, held
        self._mentions = {one.ref: one for one in read.mentions}
        self._aside = {one.id for one in read.material.living if not one.stands}
        self._texts = {one.path: one for one in read.written}  # as they are by now
        self._lines = self._stand()

    @property
    def content(self) -> str:
        """Of MEMORY.md."""
        return self._texts[inputs.MEMORY].content

    def texts(self) -> list[write.Text]:
        """The files with what was decided. PROFILE.md comes first: what leaves MEMORY.md may be
        replaced there."""
        applied = self.made.applied
        if self.held or not applied:
            return []
        gone = ((result, one) for result in applied for one in result.gone)
        whys = {normalise(one.text): self._went(result) for result, one in gone}
        return [
            write.Text(place(self.run, text.path), content, origins=origins, whys=whys)
            for text in self._texts.values()
            for content, origins in [self._with(text, applied)]
            if content != text.content or text.path == inputs.MEMORY
        ]

    def finish(self, written: Iterable[WriteResult]) -> None:
        """What stands in no file, and what is proposed on top of what was written."""
        files = {one.file.path: one.file for one in written if one.file.path in self._texts}
        self._texts |= {path: inputs.text_of(file) for path, file in files.items()}
        self._lines = self._stand()
        if inputs.MEMORY in files:
            self._set_aside(files[inputs.MEMORY])
        if self.held:
            said = _("The notes changed twice while the dream was at work.")
            broken = [("current", said)] if self.held == "current" else []
            self._propose([*self.made.applied, *self.made.proposed], broken)
            return
        waits = {one.waits for one in self.made.proposed}
        reasons = ((Waits.OUTSIDE, OUTSIDE), (Waits.TEST, TEST))
        self._propose(self.made.proposed, [told for kind, told in reasons if kind in waits])
        for result in self.made.results:
            if result.against is not None and result.waits is Waits.RIVAL:
                self._oppose(result, result.against)
        self._strengthen()
        self._ask()

    def behind(self) -> Mapping[str, list[Source]]:
        """What the diary may quote → the lines of notes, or of a file before, that say it."""
        found: dict[str, list[Source]] = defaultdict(list)
        for verdict in self.made.verdicts:
            found[verdict.candidate.text] += map(source_of, verdict.candidate.mentions)
        for result in self.made.results:
            if result.new is not None:
                found[result.new.text] += self._sources(result.new)
            elif text := result.operation.text:  # left out: it may say anything that was read
                mentions = self._cited(result.operation.sources) or self.read.mentions
                found[text] += map(source_of, mentions)
            marked = [result.marked.was] if result.marked else []
            for one in (*result.gone, *marked, *([result.against] if result.against else [])):
                if stood := self._stood(one.id):
                    found[one.text].append(stood)
        return found

    def _stand(self) -> dict[str, tuple[Text, int]]:
        """In which text, and on which line of it, each statement stands."""
        found = {
            (text.path, one.text): (text, one.line)
            for text in self._texts.values()
            for one in statements_of(text.content, text.path)
        }
        living = self.read.material.living
        return {one.id: found[at] for one in living if (at := (one.path, one.text)) in found}

    def _stood(self, id: str) -> Source | None:
        """The line of a statement, as it was read or has become."""
        text, line = self._lines.get(id, (None, 0))
        return Source(UUID(text.file_id), text.revision, line) if text else None

    def _with(self, text: Text, results: Iterable[Result]) -> tuple[str, dict[int, Origin]]:
        document = Document(text.content, text.path, self.read.material.language)
        document.write(results)
        return document.render(), {n: self._origin(one) for n, one in document.new().items()}

    def _cited(self, refs: Iterable[str]) -> list[Mention]:
        return [self._mentions[ref] for ref in refs if ref in self._mentions]

    def _sources(self, one: LivingStatement) -> list[Source]:
        return [source_of(mention) for mention in self._cited(one.sources)]

    def _grounds(self, refs: Iterable[str]) -> list[Ground]:
        return [ground for mention in self._cited(refs) for ground in mention.grounds]

    def _origin(self, one: LivingStatement) -> Origin:
        mentions = self._cited(one.sources)
        stood = {id: self._lines[id] for id in one.also if id in self._lines}
        there = {id for id, (text, _line) in stood.items() if text.path == one.path}
        moved = [source for id in stood.keys() - there if (source := self._stood(id))]
        without_line = _stood_on(one.id) if one.id in self._aside else ()
        return Origin(
            (*self._sources(one), *moved, *without_line),
            durable=any(m.durable for m in mentions),
            asked=any(m.asked for m in mentions),
            category=next((m.category for m in mentions if m.category), ""),
            also=tuple(stood[id][1] for id in one.also if id in there),
        )

    def _set_aside(self, file: File) -> None:
        """New statements that found no room, and those without a line that hold no more."""
        writer = writer_of(self.run)
        for result in self.made.applied:
            if result.marked is not None:
                self._note_ended(result.marked)
            for one in result.gone:
                if one.id in self._aside:
                    fact = Fact.objects.get(pk=one.id)
                    moves.leave(self.tx, fact, self._went(result), writer)
                elif result.why is Why.ROOM and one.sources:
                    fact = moves.new(file, Statement(one.text), self.tx.now)
                    fact.path, fact.source, fact.said_at = (
                        file.path,
                        BY_TRUST[one.by.weight],
                        one.by.said_at,
                    )
                    fact.save(force_insert=True)
                    evidence.add({fact: self._grounds(one.sources)})

    def _note_ended(self, marked: Marked) -> None:
        """Of what no line says: a pinned one stays as it is."""
        if marked.was.id in self._aside or marked.was.is_pinned:
            fact = self._fact(marked.was)
            if fact is not None:
                fact.raw_ended, fact.hidden_at, fact.hidden_by = stored(marked.ended), None, None
                fact.save(update_fields=["raw_ended", "hidden_at", "hidden_by"])

    def _oppose(self, result: Result, against: LivingStatement) -> None:
        """What another speaker says waits beside what stands."""
        standing, said = self._fact(against), result.new
        if standing is not None and said is not None:
            source, grounds = BY_TRUST[said.by.weight], self._grounds(said.sources)
            memory_facts.contradict(self.tx, standing, said.text, source=source, grounds=grounds)

    def _ask(self) -> None:
        """Whether older ones still hold: where no proof was found, then, if no model looked at
        them, of possible rivals, and of what stands alone beside words that ended."""
        today = self.read.material.today
        living = living_after(self.read.material, self.made.results)
        pairs = list(rivals.unproved(self.made.results, living))[: questions.MOST_UNPROVED]
        if self.run.consolidator == "rules":
            pairs += rivals.possible_rivals(living, today)
        pairs += rivals.left_alone(living, today)
        found = (
            (self._fact(older), self._fact(newer) if newer else None) for older, newer in pairs
        )
        asked = ((older, newer) for older, newer in found if older)
        questions.ask(self.tx, Memory(self.run.agent, self.run.owner), asked)

    def _strengthen(self) -> None:
        """What holds and people said again stands on more; nothing is written again."""
        again: dict[str, dict[Ground, None]] = defaultdict(dict)
        for said, one in said_again(self.read.material):
            if said.by.is_word:
                again[fingerprint(one.text)] |= dict.fromkeys(self._grounds([said.ref]))
        if again:
            facts = list(self._facts().filter(fingerprint__in=again))
            evidence.add({one: again[one.fingerprint] for one in facts}, known=facts)

    def _facts(self) -> QuerySet[Fact]:
        rows = Fact.objects.of(self.run.agent_id, self.run.owner_id).living()
        return rows.filter(path__in=self._texts)

    def _went(self, result: Result) -> Departure:
        """Replaced by what is new, or by what stood there already."""
        why = None if result.why is Why.ROOM else Fact.Why(result.why)
        newer = result.new or result.against
        standing = self._fact(newer) if newer and result.new is None else None
        return Departure(why, standing.pk if standing else newer.text if newer else None)

    def _fact(self, one: LivingStatement) -> Fact | None:
        return self._facts().filter(fingerprint=fingerprint(one.text)).first()

    def _propose(self, results: list[Result], broken: list[tuple[str, str]]) -> None:
        for text in self._texts.values() if results else ():
            content, origins = self._with(text, results)
            if content == text.content and text.path == inputs.PROFILE:
                continue
            file, base = write.find(place(self.run, text.path)), text.revision
            if file is None or file.deleted_at is not None:
                # An owner's file comes into being with its first dream, even one held back.
                at = place(self.run, text.path)
                empty = fresh(text.path, self.read.material.language)
                file = write.write(self.tx, at, empty, writer=writer_of(self.run)).file
                base = base or file.revision
            if proposing.was_rejected(file, content):
                continue
            proposing.propose(
                self.tx,
                run=self.run,
                file=file,
                content=content,
                origins=origins,
                broken=broken,
                base=base,
            )


def _stood_on(fact_id: str) -> list[Source]:
    """Of a statement that had no line."""
    rows = Evidence.objects.filter(fact=UUID(fact_id)).order_by("pk")
    return [Source(message_id=row.message_id, root_id=row.root_id) for row in rows]
