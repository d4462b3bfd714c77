import uuid
from collections import Counter
from typing import Any

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django_scopes import scopes_disabled

from memoryweb.agents.models import Reader
from memoryweb.core import tables
from memoryweb.memory.models.author_kinds import AuthorKind, SourceClass
from memoryweb.memory.models.conversations import Message


class Scope(models.TextChoices):
    PERSONAL = "PERSONAL", _("Personal")
    TEAM = "TEAM", _("Team")
    GLOBAL = "GLOBAL", _("Global")


class FileQuerySet(models.QuerySet["File"]):
    def present(self) -> "FileQuerySet":
        return self.filter(deleted_at=None)

    def visible_to(self, reader: Reader) -> "FileQuerySet":
        """Files of the reader's agent: the shared ones and those of the reader's owner."""
        return self.filter(reader.sees())

    def of(self, agent_id: uuid.UUID, owner_id: uuid.UUID | None) -> "FileQuerySet":
        """Exactly one workspace: the agent's shared one, or one owner's."""
        return self.filter(agent=agent_id, owner=owner_id)

    def untexted(self) -> "FileQuerySet":
        """For lists: without their texts."""
        return self.defer("raw_content")

    def enabled_in_order(self) -> "FileQuerySet":
        return self.present().filter(enabled=True).order_by("sort_order", "folded_path")


class File(tables.UUIDRow):
    """A Markdown file of a workspace, with its current text. Its past stands in `revisions`."""

    agent = models.ForeignKey("agents.Agent", models.CASCADE, related_name="files")
    owner = models.ForeignKey("agents.Owner", models.CASCADE, null=True, related_name="files")
    scope = models.CharField(max_length=8, choices=Scope.choices)
    path = tables.ErasableCharField(max_length=256, holds=tables.Holds.NAME)
    folded_path = tables.ErasableCharField(max_length=256, holds=tables.Holds.NAME)
    enabled = models.BooleanField(default=False)
    sort_order = models.IntegerField(default=100)
    raw_content = tables.ErasableTextField(blank=True, db_column="content")
    sha256 = tables.PlainCharField(max_length=64)
    size = models.IntegerField(help_text="bytes of UTF-8")
    revision = models.IntegerField(default=0)
    base_revision = models.IntegerField(default=0, help_text="the last one with the whole text")
    ordered_from = models.IntegerField(
        db_default=1,
        default=1,
        help_text="no revision from this one on is older than one before it",
    )
    note_date = models.DateField(null=True, help_text="of a daily note")
    updated_at = models.DateTimeField(default=timezone.now)
    deleted_at = models.DateTimeField(null=True)

    erasure = tables.Erasure.BY_DOORS | tables.Erasure.HEADED
    objects = tables.TeamManager.from_queryset(FileQuerySet)()  # type: ignore[misc]

    class Meta:
        db_table = "workspace_file"
        constraints = [
            models.CheckConstraint(
                condition=(Q(scope="PERSONAL") & Q(owner__isnull=False))
                | (~Q(scope="PERSONAL") & Q(owner__isnull=True)),
                name="workspace_file_scope_owner",
            ),
            models.UniqueConstraint(
                fields=["agent", "folded_path"],
                condition=Q(owner=None),
                name="workspace_file_shared_path",
            ),
            models.UniqueConstraint(
                fields=["agent", "owner", "folded_path"],
                condition=Q(owner__isnull=False),
                name="workspace_file_owner_path",
            ),
        ]
        indexes = [
            models.Index(
                fields=["team", "agent", "owner", "note_date"], name="workspace_file_notes"
            )
        ]

    def __str__(self) -> str:
        return self.path

    def has_line(self, number: int) -> bool:
        return 1 <= number <= self.raw_content.count("\n") + 1

    def says(self, text: str, *, in_any_case: bool = False) -> bool:
        """Whether it stands there, shown or not."""
        return text in (self.raw_content.casefold() if in_any_case else self.raw_content)


class Import(tables.UUIDRow):
    """One applied import, so that all that came with it can be found and reverted. The archive is
    kept while a run still brings its conversations."""

    team = models.ForeignKey("accounts.Team", models.CASCADE, related_name="+")
    agent = models.ForeignKey("agents.Agent", models.CASCADE, related_name="imports")
    owner = models.ForeignKey("agents.Owner", models.CASCADE, null=True, related_name="+")
    user = models.ForeignKey("accounts.User", models.SET_NULL, null=True, related_name="+")
    token = models.ForeignKey("accounts.Token", models.SET_NULL, null=True, related_name="+")
    archive_sha256 = tables.PlainCharField(max_length=64)
    format = tables.PlainCharField(max_length=16, default="snapshot")
    archive = models.BinaryField(null=True)
    run = models.ForeignKey("runs.Run", models.SET_NULL, null=True, related_name="imports")
    reverted_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "workspace_import"
        indexes = [
            models.Index(fields=["team", "agent", "-created_at"], name="workspace_import_latest")
        ]


class Revision(tables.TeamRow):
    """One immutable version. `text` is the whole content, or what came to the one before: lines
    that go where `edits` say, else what was appended.

    The content of revision n is the text of revision `base` with every delta after it up to n
    (`lines.revisions.contents_of`).
    """

    file = models.ForeignKey(File, models.CASCADE, related_name="revisions", db_index=False)
    number = models.IntegerField()
    base = models.IntegerField(help_text="the revision with the whole text that this builds on")
    raw_text = tables.ErasableTextField(blank=True, db_column="text")
    edits = tables.PlainJSONField(null=True, help_text="[at, gone, new] lines of the text before")
    sha256 = tables.PlainCharField(max_length=64)
    size = models.IntegerField(help_text="bytes of UTF-8 of the whole content")
    author_kind = models.CharField(max_length=12, choices=AuthorKind.choices)
    user = models.ForeignKey(
        "accounts.User", models.SET_NULL, null=True, related_name="+", db_index=False
    )
    integration = models.ForeignKey(
        "accounts.Integration", models.SET_NULL, null=True, related_name="+"
    )
    run = models.ForeignKey(
        "runs.Run", models.RESTRICT, null=True, related_name="revisions", db_index=False
    )
    token = models.ForeignKey("accounts.Token", models.SET_NULL, null=True, related_name="+")
    conversation = models.ForeignKey(
        "memory.Conversation",
        models.SET_NULL,
        null=True,
        related_name="+",
        help_text="that a tool was called in, or that was extracted",
    )
    batch = models.ForeignKey(Import, models.SET_NULL, null=True, related_name="revisions")
    source = models.CharField(
        max_length=12, choices=SourceClass.choices, default=SourceClass.SYSTEM
    )
    path = tables.ErasableCharField(
        max_length=256, blank=True, help_text="the file's path then", holds=tables.Holds.NAME
    )
    reason = tables.ErasableCharField(max_length=300, blank=True)
    restored_from = models.IntegerField(null=True)
    is_deletion = models.BooleanField(default=False)
    created_at = models.DateTimeField(default=timezone.now)

    erasure = tables.Erasure.BY_DOORS | tables.Erasure.HEADED

    class Meta:
        db_table = "workspace_revision"
        constraints = [
            models.UniqueConstraint(fields=["file", "number"], name="workspace_revision_number")
        ]
        indexes = [
            models.Index(
                fields=["user", "file", "number"],
                condition=Q(user__isnull=False),
                name="workspace_revision_of_user",
            ),
            models.Index(
                fields=["run", "file", "number"],
                condition=Q(run__isnull=False),
                name="workspace_revision_of_run",
            ),
            models.Index(
                fields=["file", "author_kind", "number"], name="workspace_revision_of_kind"
            ),
            # Says what was current at a moment only from File.ordered_from on.
            models.Index(fields=["file", "created_at", "number"], name="workspace_revision_moment"),
        ]

    @property
    def is_appended(self) -> bool:
        return self.base != self.number and self.edits is None


class Upload(tables.TeamRow):
    """An archive between its preview and its import: the one that a person has under way.

    It is gone after an hour, after the import, and with the next upload. What is forgotten
    meanwhile is turned away when the archive is read, as from any other.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    team = models.ForeignKey("accounts.Team", models.CASCADE, related_name="+")
    agent = models.ForeignKey("agents.Agent", models.CASCADE, related_name="uploads")
    owner = models.ForeignKey("agents.Owner", models.CASCADE, null=True, related_name="+")
    user = models.ForeignKey("accounts.User", models.CASCADE, related_name="+")
    archive = models.BinaryField()
    expires_at = models.DateTimeField()

    class Meta:
        db_table = "workspace_upload"
        constraints = [
            models.UniqueConstraint(fields=["team", "user"], name="workspace_upload_one")
        ]
        indexes = [models.Index(fields=["expires_at"], name="workspace_upload_age")]


class _StandsOn(tables.TeamRow):
    """What a line stands on, whether it is there or gone."""

    since = models.IntegerField(help_text="the revision that brought the line")
    source_revision = models.IntegerField(null=True)
    source_line = models.IntegerField(null=True)
    root = models.ForeignKey(
        "memory.Revision",
        models.SET_NULL,
        null=True,
        related_name="+",
        help_text="that first wrote down what the line says, in this file or in the source",
    )
    durable = models.BooleanField(default=False)
    category = tables.PlainCharField(max_length=16, blank=True)

    class Meta:
        abstract = True


class LineOrigin(_StandsOn):
    """Where one line of a file's current text came from: one row a source, at least one a line.

    Carried to the line's new number by diff at every revision, dropped with the line. `message`
    and `root` are the source's own roots, kept here so that nothing done to the source loses them.
    """

    file = models.ForeignKey("memory.File", models.CASCADE, related_name="origins", db_index=False)
    line = models.IntegerField(help_text="1-based, in the current text")
    author_kind = models.CharField(max_length=12, choices=AuthorKind.choices)
    user = models.ForeignKey("accounts.User", models.SET_NULL, null=True, related_name="+")
    run = models.ForeignKey("runs.Run", models.RESTRICT, null=True, related_name="+")
    source_file = models.ForeignKey(
        "memory.File", models.SET_NULL, null=True, related_name="+", db_index=False
    )
    message = models.ForeignKey(
        "memory.Message", models.SET_NULL, null=True, related_name="line_origins"
    )
    asked = models.BooleanField(default=False, help_text="a person asked to remember it")
    released = models.BooleanField(default=False, help_text="a person lets machines change it")
    marks = tables.PlainCharField(
        max_length=60, blank=True, help_text="what a person should look at, joined by commas"
    )

    class Meta:
        db_table = "workspace_lineorigin"
        indexes = [
            models.Index(fields=["file", "line"], name="workspace_origin_line"),
            # Few lines are flagged, and every page asks how many.
            models.Index(fields=["team"], condition=~Q(marks=""), name="workspace_origin_flagged"),
            models.Index(
                fields=["source_file", "source_line"],
                condition=Q(source_file__isnull=False),
                name="workspace_origin_from",
            ),
        ]


class PastOrigin(_StandsOn):
    """What a line stood on when it left its file; it has that back when it comes back.

    Only of lines of which revisions alone do not tell it.
    """

    file = models.ForeignKey(
        "memory.File", models.CASCADE, related_name="past_origins", db_index=False
    )
    gone = models.IntegerField(help_text="the revision that took the line away")
    line = models.IntegerField(help_text="1-based, in the text before that")
    source_file = models.ForeignKey("memory.File", models.SET_NULL, null=True, related_name="+")
    message = models.ForeignKey("memory.Message", models.SET_NULL, null=True, related_name="+")
    asked = models.BooleanField(default=False)

    class Meta:
        db_table = "workspace_pastorigin"
        indexes = [models.Index(fields=["file", "gone"], name="workspace_past_origin_gone")]


class KeptLine(tables.TeamRow):
    """A flagged line that a person let stand: in shared memory for the team, else for its owner."""

    team = models.ForeignKey("accounts.Team", models.CASCADE, related_name="+")
    owner = models.ForeignKey("agents.Owner", models.CASCADE, null=True, related_name="+")
    fingerprint = tables.KeyedCharField(max_length=64, help_text="keyed hash of the line")

    class Meta:
        db_table = "workspace_keptline"
        indexes = [models.Index(fields=["team", "fingerprint"], name="workspace_kept_line")]


class _Bytes(models.Func):
    """Of a text, in UTF-8."""

    function = "OCTET_LENGTH"
    output_field = models.BigIntegerField()

    def as_sqlite(self, compiler: Any, connection: Any, **named: Any) -> Any:
        named["template"] = "LENGTH(CAST(%(expressions)s AS BLOB))"
        return self.as_sql(compiler, connection, **named)


def stored_bytes() -> Counter[uuid.UUID]:
    """Of each team, what its messages and its files with their history hold."""
    sizes = Counter[uuid.UUID]()
    with scopes_disabled():
        for rows, column in ((Message.objects, "raw_content"), (Revision.objects, "raw_text")):
            sums = rows.values_list("team").annotate(size=models.Sum(_Bytes(column))).order_by()
            sizes.update(dict(sums))
    return sizes
