from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from memoryweb.core import tables


class Extraction(tables.TeamRow):
    """What one run made of one window of a conversation. The answer is stored before it is used."""

    class Status(models.TextChoices):
        ANSWERED = "answered", _("Answered")
        APPLIED = "applied", _("Applied")
        NOTHING = "nothing", _("Nothing to note")
        FAILED = "failed", _("Failed")
        ASIDE = "aside", _("Set aside")

    team = models.ForeignKey("accounts.Team", models.CASCADE, related_name="+")
    conversation = models.ForeignKey(
        "memory.Conversation", models.CASCADE, related_name="extractions", db_index=False
    )
    run = models.ForeignKey("runs.Run", models.RESTRICT, related_name="extractions")
    first = models.IntegerField(help_text="position of the first message")
    last = models.IntegerField(help_text="position of the last message")
    status = models.CharField(max_length=8, choices=Status.choices)
    extractor = tables.PlainCharField(max_length=8)
    model = tables.PlainCharField(max_length=120, blank=True)
    answer = tables.ErasableJSONField(default=dict)
    reason = tables.ErasableTextField(blank=True, holds=tables.Holds.LABEL)
    written = tables.PlainJSONField(
        default=list, help_text="[{file, revision, first, last}] of lines that were written"
    )
    retry_at = models.DateTimeField(
        null=True, help_text="failed for what was said, and not to be asked again before"
    )
    tokens_in = models.BigIntegerField(default=0)
    tokens_out = models.BigIntegerField(default=0)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["conversation", "first", "run"], name="extraction_window_once"
            )
        ]
