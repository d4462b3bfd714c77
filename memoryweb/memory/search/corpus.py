"""What a reader can search: their passages as they are now, by the database's own index."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from operator import or_
from uuid import UUID

from memoryweb.agents.models import GLOBAL_AGENT_ID, Reader
from memoryweb.markdown.file_kinds import ENTRY
from memoryweb.markdown.paths import fold, kind_of
from memoryweb.memory.index import fulltext, indexing
from memoryweb.memory.index.fulltext import Found
from memoryweb.memory.index.indexing import of_past, says, scope_key, whole_key, words_of
from memoryweb.memory.index.query_syntax import Query
from memoryweb.memory.index.ranking import Extent, Places
from memoryweb.memory.lines.revisions import Past, workspace_at
from memoryweb.memory.lines.source_classes import sources_at, weakest
from memoryweb.memory.models import File, Passage, SourceClass

# Newer first, then an order that does not depend on the database.
Standing = tuple[float, str, bool, int]


@dataclass(frozen=True)
class Reaches:
    """The scope keys of what a reader sees."""

    shared: str
    everyones: str
    own: str | None

    @classmethod
    def of(cls, reader: Reader) -> "Reaches":
        own = scope_key(reader.agent.pk, reader.owner.pk) if reader.owner else None
        return cls(scope_key(reader.agent.pk, None), scope_key(GLOBAL_AGENT_ID, None), own)

    @property
    def all(self) -> list[str]:
        return self.within("")

    def within(self, scope: str) -> list[str]:
        """Those that `own` or `shared` narrows a search to; all where nothing does."""
        own = [self.own] if self.own and scope != "shared" else []
        return own if scope == "own" else [self.shared, self.everyones, *own]


class CurrentCorpus:
    """The workspaces and the conversations as they are, of some readers of one team.

    What it is asked, it is asked for all of them at once: many take as many statements as one.
    """

    def __init__(self, readers: Sequence[Reader]) -> None:
        self.readers = readers
        self.reaches = [Reaches.of(reader) for reader in readers]
        self._known: dict[int, Passage] = {}

    def find(self, words: Sequence[str]) -> list[Found]:
        """Of each reader. Words have their field in front."""
        return fulltext.find([reaches.all for reaches in self.reaches], words)

    def files(self, path: str) -> set[int]:
        """The wholes of the files whose path has that in it."""
        visible = reduce(or_, (reader.sees() for reader in self.readers))
        found = File.objects.present().filter(visible, folded_path__contains=fold(path))
        return {whole_key(pk) for pk in found.values_list("pk", flat=True)}

    def entries(self) -> set[int]:
        """The wholes of the named entries."""
        visible = reduce(or_, (reader.sees() for reader in self.readers))
        found = File.objects.present().filter(visible, folded_path__startswith=ENTRY.start)
        return {whole_key(pk) for pk in found.values_list("pk", flat=True)}

    def saying(self, passages: Collection[int], phrases: Sequence[Sequence[str]]) -> set[int]:
        """Those of the passages that hold every phrase, given as its tokens."""
        return indexing.saying(passages, phrases)

    def between(self, passages: Collection[int], query: Query) -> set[int]:
        """Those that have a date that the query asks for."""
        rows = Passage.objects.filter(pk__in=passages)
        if query.after:
            rows = rows.filter(date__gte=query.after)
        if query.before:
            rows = rows.filter(date__lt=query.before)
        return set(rows.values_list("pk", flat=True))

    def standings(self, passages: Collection[int]) -> dict[int, Standing]:
        return {pk: _standing(row) for pk, row in self.passages(passages).items()}

    def passages(self, ids: Collection[int]) -> dict[int, Passage]:
        """With the file or the message, and whether any request to forget is about it."""
        if unknown := tuple(pk for pk in ids if pk not in self._known):
            self._known |= {row.pk: row for row in indexing.rows_of(unknown)}
        return {pk: self._known[pk] for pk in ids if pk in self._known}

    def sees(self, reader: Reader, row: Passage) -> bool:
        """Once more, by the row itself: keys are short, owners are not."""
        own = reader.owner.pk if reader.owner else None
        if row.agent_id == GLOBAL_AGENT_ID:
            return row.owner_id is None
        return row.agent_id == reader.agent.pk and row.owner_id in (None, own)

    def past(self, _row: Passage) -> Past | None:
        return None


def _standing(row: Passage) -> Standing:
    newest = 86400.0 * row.date.toordinal() if row.date else 0.0
    name = fold(row.file.path) if row.file else ""
    if row.message:
        newest, name = row.message.timestamp.timestamp(), row.message.conversation.external_id
    return (-newest, name, row.owner_id is not None, row.line)


# What a reader could have searched at a moment: files as they were, messages that had arrived.
# There is no index of the past: its texts are rebuilt and walked, with the same ranking.


class PastCorpus:
    """A corpus like `corpus.Current`, at a moment, of one reader. Its passages are numbered, not
    stored."""

    def __init__(self, reader: Reader, moment: datetime) -> None:
        self.reaches = [Reaches.of(reader)]
        self.pasts = {past.file.pk: past for past in _pasts(reader, moment)}
        self.rows = dict(enumerate(_passages(reader, moment, self.pasts.values()), start=1))

    def find(self, words: Sequence[str]) -> list[Found]:
        wanted = {reach + word for reach in self.reaches[0].all for word in words}
        postings: dict[str, Counter[int]] = {}
        found: dict[int, None] = {}
        for number, row in self.rows.items():
            for word in words_of(row):
                if word in wanted:
                    postings.setdefault(word, Counter())[number] += 1
                    found[number] = None
        wholes = {number: self.rows[number].whole for number in found}
        places = Places(wholes, {one: self.rows[one].place for one in found})
        extent = Extent(len(self.rows), sum(row.length for row in self.rows.values()))
        return [Found(postings, places, extent)]

    def files(self, path: str) -> set[int]:
        wanted = fold(path)
        rows = (row for row in self.rows.values() if row.file)
        return {row.whole for row in rows if row.file and wanted in fold(row.file.path)}

    def entries(self) -> set[int]:
        rows = (row for row in self.rows.values() if row.file)
        return {row.whole for row in rows if row.file and kind_of(row.file.path) is ENTRY}

    def saying(self, passages: Collection[int], phrases: Sequence[Sequence[str]]) -> set[int]:
        return {number for number in passages if says(self.rows[number], phrases)}

    def between(self, passages: Collection[int], query: Query) -> set[int]:
        return {
            number
            for number in passages
            if (day := self.rows[number].date)
            and (query.after or day) <= day
            and (query.before is None or day < query.before)
        }

    def standings(self, passages: Collection[int]) -> dict[int, Standing]:
        return {number: _standing(self.rows[number]) for number in passages}

    def passages(self, ids: Collection[int]) -> dict[int, Passage]:
        """Whose word each is, is looked up for these alone."""
        found = {number: self.rows[number] for number in ids}
        files = {row.file_id for row in found.values() if row.file_id}
        sources = {key: self._sources(key) for key in files}
        for row in found.values():
            if row.file_id:
                lines = range(row.line, row.end_line + 1)
                known = sources[row.file_id]
                row.source = weakest(known[line] for line in lines if line in known)
        return found

    def sees(self, _reader: Reader, _row: Passage) -> bool:
        return True  # only what the reader sees was read at all

    def past(self, row: Passage) -> Past | None:
        return self.pasts[row.file_id] if row.file_id else None

    def _sources(self, file_id: UUID) -> Mapping[int, SourceClass]:
        past = self.pasts[file_id]
        return sources_at(past.file, past.number)


def _pasts(reader: Reader, moment: datetime) -> Iterator[Past]:
    own = reader.owner.pk if reader.owner else None
    workspaces = [(GLOBAL_AGENT_ID, None), (reader.agent.pk, None), (reader.agent.pk, own)]
    for agent_id, owner_id in dict.fromkeys(workspaces):
        yield from workspace_at(agent_id, owner_id, moment)


def _passages(reader: Reader, moment: datetime, pasts: Iterable[Past]) -> Iterator[Passage]:
    for past in pasts:
        yield from of_past(past, moment)
    own = reader.owner.pk if reader.owner else None
    if own is not None:
        yield from Passage.objects.filter(
            message__conversation__agent=reader.agent,
            message__conversation__owner=own,
            message__created_at__lte=moment,
        ).select_related("message__conversation")
