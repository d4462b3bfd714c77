"""Named entries: texts that are found by number, name or another name.

The text is a workspace file's, and so are the name (the file's own) and all that follows a file:
history, search, export, forgetting. Here stands what a file can't say.
"""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from memoryweb.core.tables import ErasableCharField, Erasure, TeamRow, UUIDRow

MOST_OF_NAME = 200


class Entry(UUIDRow):
    """Numbers count up in each memory, and none is given twice."""

    class Kind(models.TextChoices):
        NOTE = "note", _("Note")
        ARCHIVE = "archive", _("Archive")

    agent = models.ForeignKey("agents.Agent", models.CASCADE, related_name="+", db_index=False)
    owner = models.ForeignKey("agents.Owner", models.CASCADE, null=True, related_name="+")
    file = models.OneToOneField("memory.File", models.CASCADE, related_name="entry")
    number = models.IntegerField()
    kind = models.CharField(max_length=8, choices=Kind.choices, default=Kind.NOTE)

    class Meta:
        db_table = "entries_entry"
        constraints = [
            models.UniqueConstraint(
                fields=["agent", "owner", "number"], name="entries_entry_number_of_owner"
            ),
            models.UniqueConstraint(
                fields=["agent", "number"],
                condition=Q(owner=None),
                name="entries_entry_number_shared",
            ),
        ]


class Alias(TeamRow):
    """Another name that leads to an entry. It is looked up, never searched."""

    agent = models.ForeignKey("agents.Agent", models.CASCADE, related_name="+", db_index=False)
    owner = models.ForeignKey("agents.Owner", models.CASCADE, null=True, related_name="+")
    entry = models.ForeignKey(Entry, models.CASCADE, related_name="aliases")
    name = ErasableCharField(max_length=MOST_OF_NAME)
    folded = ErasableCharField(max_length=MOST_OF_NAME)

    erasure = Erasure.DROPPED

    class Meta:
        db_table = "entries_alias"
        constraints = [
            models.UniqueConstraint(
                fields=["agent", "owner", "folded"], name="entries_alias_of_owner"
            ),
            models.UniqueConstraint(
                fields=["agent", "folded"], condition=Q(owner=None), name="entries_alias_shared"
            ),
        ]
        verbose_name_plural = "aliases"
