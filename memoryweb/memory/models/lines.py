from django.db import models
from django.db.models import Q

from memoryweb.core.fields import KeyedCharField, PlainCharField
from memoryweb.core.tenancy import TeamManager
from memoryweb.memory.models.author_kinds import AuthorKind


class _StandsOn(models.Model):
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
    category = PlainCharField(max_length=16, blank=True)

    objects = TeamManager()

    class Meta:
        abstract = True


class LineOrigin(_StandsOn):
    """Where one line of a file's current text came from: one row a source, at least one a line.

    Carried to the line's new number by diff at every revision, dropped with the line. `message`
    and `root` are the source's own roots, kept here so that nothing done to the source loses them.
    """

    team = models.ForeignKey("accounts.Team", models.CASCADE, related_name="+", db_index=False)
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
    marks = PlainCharField(
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

    def __str__(self) -> str:
        return f"{self.file_id}:{self.line}"


class PastOrigin(_StandsOn):
    """What a line stood on when it left its file; it has that back when it comes back.

    Only of lines of which revisions alone do not tell it.
    """

    team = models.ForeignKey("accounts.Team", models.CASCADE, related_name="+")
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

    def __str__(self) -> str:
        return f"{self.file_id}:{self.line} until r{self.gone}"


class KeptLine(models.Model):
    """A flagged line that a person let stand: in shared memory for the team, else for its owner."""

    team = models.ForeignKey("accounts.Team", models.CASCADE, related_name="+")
    owner = models.ForeignKey("agents.Owner", models.CASCADE, null=True, related_name="+")
    fingerprint = KeyedCharField(max_length=64, help_text="keyed hash of the line")

    objects = TeamManager()

    class Meta:
        db_table = "workspace_keptline"
        indexes = [models.Index(fields=["team", "fingerprint"], name="workspace_kept_line")]

    def __str__(self) -> str:
        return self.fingerprint
