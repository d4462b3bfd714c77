"""Everything that came from one conversation, token, import or run: found by the revisions and
messages that lines stand on in the end, whatever became of the lines between."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from uuid import UUID

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery

from memoryweb.accounts.models import Token
from memoryweb.agents.models import Agent
from memoryweb.markdown.file_kinds import KINDS, WritingKind
from memoryweb.markdown.paths import kind_of
from memoryweb.memory.lines.files import of_kinds
from memoryweb.memory.lines.origins import Source as Cited
from memoryweb.memory.models import AuthorKind, File, LineOrigin, Message, Revision
from memoryweb.runs.models import Run

_DIARY = of_kinds(kind for kind in KINDS if kind.written is WritingKind.DREAMS)


class Kind(StrEnum):
    CONVERSATION = "conversation"
    TOKEN = "token"
    IMPORT = "import"
    RUN = "run"


@dataclass(frozen=True)
class Source:
    """`id` is that of the row; who made one has checked that the caller may know of it."""

    agent: Agent
    kind: Kind
    id: UUID

    @property
    def column(self) -> str:
        """Of revisions and proposals, that points at it."""
        return "batch" if self.kind is Kind.IMPORT else str(self.kind)

    @property
    def revisions(self) -> "QuerySet[Revision]":
        """What it wrote itself, in files of this agent that may be deleted by now."""
        wrote = Revision.objects.filter(file__agent=self.agent, **{self.column: self.id})
        if self.kind is not Kind.RUN:
            return wrote
        # The diary of a run tells what happened, and so also that it was reverted.
        return wrote.exclude(file__in=File.objects.filter(_DIARY, agent=self.agent))

    @property
    def messages(self) -> "QuerySet[Message]":
        messages = Message.objects.filter(conversation__agent=self.agent)
        if self.kind is Kind.CONVERSATION:
            return messages.filter(conversation=self.id)
        if self.kind is Kind.RUN:
            return messages.none()
        return messages.filter(**{self.column: self.id})

    @property
    def runs(self) -> "QuerySet[Run]":
        """Runs that worked for it: the run itself, or extractions that wrote down its messages."""
        runs = Run.objects.filter(agent=self.agent)
        if self.kind is Kind.RUN:
            return runs.filter(pk=self.id)
        notes = LineOrigin.objects.filter(message__in=self.messages, source_file=None)
        said = notes.filter(run=OuterRef("pk"))
        wrote = self.revisions.filter(run=OuterRef("pk"))
        return runs.filter(Exists(said) | Exists(wrote))


@dataclass
class Lines:
    """Of one file's current text: lines that stand on the source alone, and on others too."""

    alone: set[int] = field(default_factory=set)
    partly: set[int] = field(default_factory=set)


def is_diary(file: File) -> bool:
    return kind_of(file.path).written is WritingKind.DREAMS


def lines_of(source: Source) -> Mapping[UUID, Lines]:
    """File → its lines from the source. A line that a person has changed since is theirs. What
    the diary tells of it goes, whatever else that tells."""
    present = LineOrigin.objects.filter(file__agent=source.agent, file__deleted_at=None)
    leads = dict(present.filter(leads_to(source)).values_list("pk", "file"))
    rows = present.filter(file__in=set(leads.values()))
    of_line: dict[tuple[UUID, str, int], list[bool]] = defaultdict(list)
    for pk, file_id, path, line in rows.values_list("pk", "file", "file__path", "line"):
        of_line[file_id, path, line].append(pk in leads)
    found: dict[UUID, Lines] = defaultdict(Lines)
    for (file_id, path, line), lead in of_line.items():
        if any(lead):
            goes = all(lead) or kind_of(path).written is WritingKind.DREAMS
            (found[file_id].alone if goes else found[file_id].partly).add(line)
    return found


def from_source(source: Source, cited: Collection[Cited]) -> set[Cited]:
    """Of what lines would stand on, what is from the source."""
    roots = {one.root_id for one in cited if one.root_id}
    wrote = set(source.revisions.filter(pk__in=roots).values_list("pk", flat=True))
    said = {one.message_id for one in cited if one.message_id}
    heard = set(source.messages.filter(pk__in=said).values_list("pk", flat=True))
    behind = {one.root_id for one in cited if one.root_id and one.message_id in heard}
    rows = Revision.objects.filter(author_kind=AuthorKind.PERSON, pk__in=behind)
    people = set(rows.values_list("pk", flat=True))
    return {
        one for one in cited
        if one.root_id in wrote or (one.message_id in heard and one.root_id not in people)
    }  # fmt: skip


def leads_to(source: Source) -> Q:
    """The source wrote the line, or what the line stands on; or the message behind it is the
    source's, unless a person put it into words of their own."""
    wrote = source.revisions.filter(file=OuterRef("file"), number=OuterRef("since"))
    said = Q(message__in=source.messages) & ~Q(root__author_kind=AuthorKind.PERSON)
    return Q(Exists(wrote)) | Q(root__in=source.revisions.values("pk")) | said


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
