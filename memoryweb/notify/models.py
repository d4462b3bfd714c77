from django.db import models
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from memoryweb.core.tables import PlainCharField, PlainJSONField, PlainTextField, UUIDRow


class MailNotice(models.Model):
    """What a person wants to hear by mail, from all of their teams; without a row nothing.

    Not scoped: it is about a person. What a mail tells is asked of each team when it is sent.
    """

    user = models.OneToOneField(
        "accounts.User", models.CASCADE, primary_key=True, related_name="mail_notice"
    )
    learned = models.BooleanField(default=False)
    waits = models.BooleanField(default=False)
    failed = models.BooleanField(default=False)
    heads = models.BooleanField(default=False, help_text="signed ones of the audit log")
    site = PlainCharField(max_length=200, help_text="where it was chosen, for the links of a mail")
    language = PlainCharField(max_length=8, blank=True, help_text="that it was chosen in")
    told_until = models.DateTimeField(help_text="what happened before is not told any more")
    due_at = models.DateTimeField(null=True, db_index=True, help_text="null: never")
    attempts = models.IntegerField(default=0, help_text="of today's mail")
    sent_at = models.DateTimeField(null=True)
    error = PlainCharField(max_length=32, blank=True, help_text="a code, of the last attempt")

    class Meta:
        db_table = "notices_mailnotice"

    def __str__(self) -> str:
        return f"mail to {self.user_id}"

    @property
    def is_on(self) -> bool:
        return self.learned or self.waits or self.failed or self.heads


# A type of message: what people call it, and the audit actions that it tells of, if any.
TYPES: dict[str, tuple[Promise, frozenset[str]]] = {
    "run.finished": (
        _("A run finished: a dream, reading conversations, an import"),
        frozenset({"run.finished"}),
    ),
    "fact.changed": (
        _("Statements changed"),
        frozenset(
            {"fact.changed", "fact.edited", "fact.confirmed", "fact.unconfirmed", "fact.not_true"}
            | {"fact.restored", "fact.hidden", "fact.kept_until", "fact.still_true"}
        ),
    ),
    "fact.recalled": (
        _("Conversations are told that a statement was wrong"),
        frozenset({"fact.recalled"}),
    ),
    "item.waiting": (_("Something waits in Review"), frozenset()),
    "checkpoint.signed": (_("The head of the audit log was signed"), frozenset()),
}
LABELS = {kind: label for kind, (label, _actions) in TYPES.items()}
DAILY = "daily.numbers"  # what a channel of Slack is told


class Endpoint(UUIDRow):
    """An address of a team that is told what happens. Its secret stands nowhere: it is derived from
    the installation's of then, and `generation` makes a new one."""

    team = models.ForeignKey("accounts.Team", models.CASCADE, related_name="webhooks")
    url = PlainCharField(max_length=500)
    events = PlainJSONField(default=list, help_text="the types that it is told")
    generation = models.IntegerField(default=1)
    key_number = models.IntegerField(default=0, help_text="which of the installation's secret keys")
    is_on = models.BooleanField(default=True)
    reason = PlainCharField(max_length=32, blank=True, help_text="why it was turned off by itself")
    seen = models.BigIntegerField(default=0, help_text="the last event of the chain looked at")
    seen_item = models.BigIntegerField(
        null=True, help_text="the last of what waits looked at; null: what waits now is not told"
    )
    sealed_key = models.BinaryField(
        default=bytes, help_text="Slack's address, encrypted; `url` has its host alone"
    )
    user = models.ForeignKey(
        "accounts.User",
        models.SET_NULL,
        null=True,
        related_name="+",
        help_text="whose morning and language Slack is told in",
    )
    site = PlainCharField(max_length=200, blank=True, help_text="for the links that Slack is told")
    told_until = models.DateTimeField(null=True, help_text="until when Slack was told")

    class Meta:
        db_table = "webhooks_endpoint"

    def __str__(self) -> str:
        return self.url

    @property
    def is_slack(self) -> bool:
        return bool(self.sealed_key)

    @property
    def bound_to(self) -> str:
        """What its address is sealed for."""
        return f"{self.team_id} {self.pk}"


class Delivery(UUIDRow):
    """One message to one endpoint, and how sending it went. It holds ids, codes and counts;
    Slack's the names of agents, too."""

    class State(models.TextChoices):
        WAITING = "waiting", _("Waiting")
        DELIVERED = "delivered", _("Delivered")
        FAILED = "failed", _("Failed")

    endpoint = models.ForeignKey(
        Endpoint, models.CASCADE, related_name="deliveries", db_index=False
    )
    type = PlainCharField(max_length=32)
    body = PlainTextField()
    state = models.CharField(max_length=9, choices=State.choices, default=State.WAITING)
    attempts = models.IntegerField(default=0)
    due_at = models.DateTimeField(null=True, help_text="not before; null once it is over")
    status = models.IntegerField(null=True, help_text="of the latest answer")
    error = PlainCharField(max_length=32, blank=True, help_text="a code, where it went wrong")
    finished_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "webhooks_delivery"
        indexes = [
            models.Index(fields=["endpoint", "-created_at"], name="webhooks_log"),
            models.Index(
                fields=["due_at"],
                condition=models.Q(due_at__isnull=False),
                name="webhooks_due",
            ),
        ]

    @property
    def message_id(self) -> str:
        """The same at each attempt, so that a receiver knows what it has."""
        return f"msg_{self.pk.hex}"
