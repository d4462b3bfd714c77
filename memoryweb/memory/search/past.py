"""What a reader could have searched at a moment: files as they were, messages that had arrived.

There is no index of the past: its texts are rebuilt and walked, with the same ranking.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from memoryweb.agents.models import GLOBAL_AGENT_ID
from memoryweb.agents.readers import Reader
from memoryweb.markdown.file_kinds import ENTRY
from memoryweb.markdown.paths import fold, kind_of
from memoryweb.memory.index.fulltext import Found
from memoryweb.memory.index.indexing import of_past, says, words_of
from memoryweb.memory.index.query_syntax import Query
from memoryweb.memory.index.ranking import Extent, Places
from memoryweb.memory.lines.revisions import Past, workspace_at
from memoryweb.memory.lines.source_classes import sources_at, weakest
from memoryweb.memory.models import Passage
from memoryweb.memory.models.author_kinds import SourceClass
from memoryweb.memory.search.corpus import Reaches, Spot, Standing, standing


class PastCorpus:
    """A corpus like `corpus.Current`, at a moment, of one reader. Its passages are numbered, not
    stored."""

    def __init__(self, reader: Reader, moment: datetime) -> None:
        self.reaches = [Reaches.of(reader)]
        self.pasts = {past.file.pk: past for past in _pasts(reader, moment)}
        self.rows = dict(enumerate(_passages(reader, moment, self.pasts.values()), start=1))

    def find(self, groups: Sequence[Collection[str]]) -> list[Found]:
        return [self._find(set(tokens)) for tokens in groups]

    def _find(self, wanted: Collection[str]) -> Found:
        postings: dict[str, Counter[int]] = {}
        found: dict[int, None] = {}
        for number, row in self.rows.items():
            for word in words_of(row):
                if word in wanted:
                    postings.setdefault(word, Counter())[number] += 1
                    found[number] = None
        wholes = {number: self.rows[number].whole for number in found}
        return Found(postings, Places(wholes, {one: self.rows[one].place for one in found}))

    def extents(self) -> list[Extent]:
        return [Extent(len(self.rows), sum(row.length for row in self.rows.values()))]

    def files(self, path: str) -> set[int]:
        wanted = fold(path)
        rows = (row for row in self.rows.values() if row.file)
        return {row.whole for row in rows if row.file and wanted in fold(row.file.path)}

    def entries(self) -> set[int]:
        rows = (row for row in self.rows.values() if row.file)
        return {row.whole for row in rows if row.file and kind_of(row.file.path) is ENTRY}

    def saying(self, passages: Collection[int], phrases: Sequence[Sequence[str]]) -> set[int]:
        return {number for number in passages if says(self.rows[number], phrases)}

    def between(self, wholes: Collection[int], query: Query) -> set[Spot]:
        return {
            (row.whole, row.line)
            for row in self.rows.values()
            if row.whole in wholes
            and row.date
            and (query.after is None or row.date >= query.after)
            and (query.before is None or row.date < query.before)
        }

    def lines(self, passages: Collection[int]) -> Mapping[int, int]:
        return {number: self.rows[number].line for number in passages}

    def standings(self, passages: Collection[int]) -> dict[int, Standing]:
        return {number: _standing(self.rows[number]) for number in passages}

    def passages(self, ids: Collection[int], _kinds: Collection[str]) -> dict[int, Passage]:
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
            kind=Passage.Kind.MESSAGE,
            agent=reader.agent,
            owner=own,
            message__created_at__lte=moment,
        ).select_related("message__conversation")


def _standing(row: Passage) -> Standing:
    moment = row.message.timestamp if row.message else None
    conversation = row.message.conversation.external_id if row.message else ""
    name = fold(row.file.path) if row.file else conversation
    return standing(row.date, moment, name, row.owner_id, row.line)
