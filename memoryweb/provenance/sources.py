"""Everything that came from one conversation, token, import or run: found by revisions, messages
and line origins, through the lines that stand on other lines."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from uuid import UUID

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery

from memoryweb.accounts.models import Token
from memoryweb.agents.models import Agent
from memoryweb.conversations.models import Message
from memoryweb.markdown.paths import FileKind, kind_of
from memoryweb.runs.models import Run
from memoryweb.workspace.models import AuthorKind, File, LineOrigin, Revision
from memoryweb.workspace.revisions import content_of

_DEPTH = 4  # note → MEMORY.md is one step; more are lines that a machine took up again


class Kind(StrEnum):
    CONVERSATION = "conversation"
    TOKEN = "token"
    IMPORT = "import"
    RUN = "run"


_COLUMN = {Kind.CONVERSATION: "conversation", Kind.IMPORT: "batch"}


@dataclass(frozen=True)
class Source:
    """`id` is that of the row; who made one has checked that the caller may know of it."""

    agent: Agent
    kind: Kind
    id: UUID

    @property
    def revisions(self) -> "QuerySet[Revision]":
        """What it wrote itself, in files of this agent that may be deleted by now."""
        column = _COLUMN.get(self.kind, str(self.kind))
        return Revision.objects.filter(file__agent=self.agent, **{column: self.id})

    @property
    def messages(self) -> "QuerySet[Message]":
        messages = Message.objects.filter(conversation__agent=self.agent)
        if self.kind is Kind.CONVERSATION:
            return messages.filter(conversation=self.id)
        return messages.filter(token=self.id) if self.kind is Kind.TOKEN else messages.none()

    @property
    def runs(self) -> "QuerySet[Run]":
        """Runs that worked for it: the run itself, or extractions that wrote down its messages."""
        runs = Run.objects.filter(agent=self.agent)
        if self.kind is Kind.RUN:
            return runs.filter(pk=self.id)
        said = LineOrigin.objects.filter(message__in=self.messages, run=OuterRef("pk"))
        wrote = self.revisions.filter(run=OuterRef("pk"))
        return runs.filter(Exists(said) | Exists(wrote))


@dataclass
class Lines:
    """Of one file's current text: lines that stand on the source alone, and on others too."""

    alone: set[int] = field(default_factory=set)
    partly: set[int] = field(default_factory=set)


def is_diary(source: Source, file: File) -> bool:
    """The diary of a run tells what happened, and so also that it was taken back."""
    return source.kind is Kind.RUN and kind_of(file.path) is FileKind.DREAMS


def lines_of(source: Source) -> Mapping[UUID, Lines]:
    """File → its lines from the source. A line that a person has changed since is theirs."""
    tainted = _tainted(source)
    found: dict[UUID, Lines] = defaultdict(Lines)
    if not tainted:
        return found
    rows = LineOrigin.objects.filter(file__in={file for file, _line in tainted})
    of_line: dict[tuple[UUID, int], set[int]] = defaultdict(set)
    for pk, file_id, line in rows.values_list("pk", "file", "line"):
        of_line[file_id, line].add(pk)
    for (file_id, line), pks in tainted.items():
        stands_alone = of_line[file_id, line] <= pks
        (found[file_id].alone if stands_alone else found[file_id].partly).add(line)
    return found


def _tainted(source: Source) -> dict[tuple[UUID, int], set[int]]:
    """(file, line) → the origins of it that lead to the source."""
    found: dict[tuple[UUID, int], set[int]] = defaultdict(set)
    fresh = [row for row in _direct(source) if not is_diary(source, row.file)]
    texts = _Texts()
    for _step in range(_DEPTH):
        for row in fresh:
            found[row.file_id, row.line].add(row.pk)
            texts.note(row)
        known = {pk for pks in found.values() for pk in pks}
        fresh = [row for row in _standing_on(source.agent, texts.files) if row.pk not in known]
        fresh = [row for row in fresh if texts.has(row)]
        if not fresh:
            break
    return found


def _direct(source: Source) -> Iterable[LineOrigin]:
    """What it wrote itself, and what extractions made of its messages."""
    wrote = source.revisions.filter(file=OuterRef("file"), number=OuterRef("since"))
    said = Q(message__in=source.messages) & ~Q(author_kind=AuthorKind.PERSON)
    rows = LineOrigin.objects.filter(file__agent=source.agent, file__deleted_at=None)
    return rows.filter(said | Q(Exists(wrote))).select_related("file")


def _standing_on(agent: Agent, files: Iterable[UUID]) -> Iterable[LineOrigin]:
    rows = LineOrigin.objects.filter(file__agent=agent, file__deleted_at=None)
    rows = rows.filter(source_file__in=list(files), source_line__isnull=False)
    return rows.exclude(author_kind=AuthorKind.PERSON).select_related("file", "source_file")


class _Texts:
    """The words of lines that lead to the source. A line is told by its words: its number may
    have changed since another line was made of it."""

    def __init__(self) -> None:
        self.files: dict[UUID, set[str]] = defaultdict(set)
        self._read: dict[tuple[UUID, int], list[str]] = {}

    def note(self, row: LineOrigin) -> None:
        text = self._line(row.file, row.file.revision, row.line)
        if text.strip():
            self.files[row.file_id].add(text)

    def has(self, row: LineOrigin) -> bool:
        file = row.source_file
        if file is None or row.source_line is None:
            return False
        text = self._line(file, row.source_revision or file.revision, row.source_line)
        return text in self.files[file.pk]

    def _line(self, file: File, revision: int, line: int) -> str:
        key = file.pk, revision
        if key not in self._read:
            try:
                self._read[key] = content_of(file, revision).split("\n")
            except Revision.DoesNotExist:
                self._read[key] = []
        lines = self._read[key]
        return lines[line - 1] if 0 < line <= len(lines) else ""


def tokens_that_wrote(agent: Agent, tokens: "QuerySet[Token]") -> "QuerySet[Token]":
    """The latest first, with the revisions counted as `wrote`."""
    wrote = Revision.objects.filter(file__agent=agent, token=OuterRef("pk")).order_by()
    counted = wrote.values("token").annotate(n=Count("pk")).values("n")
    found: QuerySet[Token] = tokens.annotate(wrote=Subquery(counted)).filter(wrote__gt=0)
    return found.select_related("user", "integration").order_by("-created_at")


def agents_written_by(tokens: Collection[Token]) -> Mapping[UUID, list[tuple[UUID, str]]]:
    """Token → the agents, as (id, name), in whose files it has written."""
    rows = Revision.objects.filter(token__in=tokens, file__agent__archived_at=None).order_by()
    names = rows.values_list("token", "file__agent", "file__agent__name").distinct()
    found: dict[UUID, list[tuple[UUID, str]]] = defaultdict(list)
    for token_id, agent_id, name in sorted(names, key=lambda row: row[2].casefold()):
        found[token_id].append((agent_id, name))
    return found
