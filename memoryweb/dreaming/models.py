import uuid
from collections.abc import Mapping
from typing import Any, cast

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from memoryweb.core import tables
from memoryweb.dreaming import operations
from memoryweb.dreaming.operations import Why
from memoryweb.markdown.marks import Ended, part


class Report(tables.TeamRow):
    """What a dream looked at, decided and changed. One a run; the diff is read from revisions."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    agent = models.ForeignKey("agents.Agent", models.CASCADE, related_name="reports")
    owner = models.ForeignKey("agents.Owner", models.CASCADE, null=True, related_name="reports")
    run = models.OneToOneField("runs.Run", models.CASCADE, related_name="report")
    dreamt_at = models.DateTimeField(help_text="the run's clock")
    notes = models.IntegerField(default=0)
    blocks = models.IntegerField(default=0)
    promoted = models.IntegerField(default=0)
    kept = models.IntegerField(default=0)
    rejected = models.IntegerField(default=0)
    diary = tables.ErasableTextField(blank=True)
    changes = tables.PlainJSONField(
        default=list, help_text="[{file, path, before, after}] revisions", holds=tables.Holds.LABEL
    )
    fingerprint = tables.PlainCharField(max_length=64, blank=True, help_text="of inputs and result")

    erasure = tables.Erasure.QUOTING

    class Meta:
        indexes = [
            models.Index(fields=["team", "agent", "-dreamt_at"], name="dreaming_report_latest")
        ]


class Operation(tables.TeamRow):
    """What a dream did to statements, or did not: `code` says why it was left out, `waits` what a
    person decides about. Sentences are made when they are shown."""

    report = models.ForeignKey(Report, models.CASCADE, related_name="operations", db_index=False)
    position = models.IntegerField()
    does = tables.PlainCharField(max_length=8)
    why = tables.PlainCharField(max_length=10, blank=True, help_text="why statements left")
    code = tables.PlainCharField(max_length=24, blank=True)
    values = tables.PlainJSONField(default=dict, holds=tables.Holds.LABEL)
    waits = tables.PlainCharField(max_length=8, blank=True)
    before = tables.ErasableJSONField(default=list, help_text="texts of the statements that left")
    after = tables.ErasableTextField(blank=True)
    against = tables.ErasableTextField(blank=True, help_text="what stands against it")
    sources = tables.PlainJSONField(
        default=list, help_text="[{file, path, revision, line}]", holds=tables.Holds.LABEL
    )

    erasure = tables.Erasure.QUOTING

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["report", "position"], name="dreaming_operation_once")
        ]

    @property
    def kind(self) -> str:
        """Of what is counted: `learned`, `changed`, `ended`, `waits`, `known` or `skipped`."""
        if self.code:
            return "known" if self.code == "known" else "skipped"
        return "waits" if self.waits else self.change

    @property
    def change(self) -> str:
        return "ended" if not self.after else "changed" if self.before else "learned"

    @property
    def outcome(self) -> str:
        """A code of `reasons.OUTCOMES`: what it did, rather than what it was called."""
        if self.code:
            return "left_out"
        if self.waits:
            return "waits"
        if self.does == operations.Does.END:
            return "end" if self.ended else "retire" if not self.after else "back"
        if self.after and not self.before:
            return "back" if self.why else "add"
        return "replace" if self.after and self.does == "add" else self.does

    @property
    def ended(self) -> tuple[Ended, ...]:
        """Words of the statement `before` that held until then."""
        was = {one for text in self.before for one in part(text)[1]}
        return tuple(one for one in part(self.after)[1] if one not in was)

    @property
    def reason(self) -> str:
        """Why it was left out, waits, or why statements left; empty where it simply came in."""
        if self.code:
            return operations.left_out(self.code, self.values)
        if self.waits:
            return str(operations.WAITS[self.waits])
        if self.ended:
            return operations.told_ended(self.ended)
        return str(operations.LEFT[Why(self.why)]) if self.before and self.why else ""


class ChecksField(tables.PlainJSONField):
    """Of each check its name, whether it passed, its code and values; its name alone where it
    passed and tells no more."""

    def deconstruct(self) -> Any:
        name, _path, arguments, given = super().deconstruct()
        return name, "memoryweb.core.tables.PlainJSONField", arguments, given

    def get_prep_value(self, value: Any) -> Any:
        return super().get_prep_value([_stored(one) for one in value])

    def from_db_value(self, value: Any, *where: Any) -> Any:
        return [_read(one) for one in super().from_db_value(value, *where)]


def _stored(check: Mapping[str, Any]) -> Any:
    if "detail" in check:  # of an earlier version, which kept the sentence
        return check
    told = [check["name"], check["passed"], check["code"], check["values"]]
    return check["name"] if told[1:] == [True, "yes", {}] else told


def _read(stored: Any) -> Mapping[str, Any]:
    if isinstance(stored, str):
        stored = [stored, True, "yes", {}]
    if isinstance(stored, list):
        return dict(zip(("name", "passed", "code", "values"), stored, strict=True))
    return cast(Mapping[str, Any], stored)


class Candidate(tables.TeamRow):
    class Verdict(models.TextChoices):
        PROMOTED = "promoted", _("Learned")
        KEPT = "kept", _("Waits a day")
        REJECTED = "rejected", _("Skipped")

    report = models.ForeignKey(Report, models.CASCADE, related_name="candidates", db_index=False)
    key = tables.PlainCharField(max_length=64)
    text = tables.ErasableTextField()
    file = models.ForeignKey("memory.File", models.SET_NULL, null=True, related_name="+")
    path = tables.ErasableCharField(max_length=256, holds=tables.Holds.NAME)
    line = models.IntegerField()
    sources = tables.PlainJSONField(
        default=list, help_text="[{file, path, revision, line}]", holds=tables.Holds.LABEL
    )
    score = models.FloatField()
    components = tables.PlainJSONField(default=dict)
    gates = ChecksField(default=list, help_text="[{name, passed, detail}]")
    verdict = models.CharField(max_length=8, choices=Verdict.choices)
    reason = tables.PlainCharField(max_length=300, blank=True)
    memory_line = models.IntegerField(null=True, help_text="where it stands in MEMORY.md")
    created_at = models.DateTimeField(default=timezone.now)

    erasure = tables.Erasure.DROPPED | tables.Erasure.QUOTING

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["report", "key"], name="dreaming_candidate_once")
        ]


class Seen(tables.TeamRow):
    """Until when somebody knows what an agent's dreams did: a person of the team, else an owner."""

    agent = models.ForeignKey("agents.Agent", models.CASCADE, related_name="+", db_index=False)
    user = models.ForeignKey("accounts.User", models.CASCADE, null=True, related_name="+")
    owner = models.ForeignKey("agents.Owner", models.CASCADE, null=True, related_name="+")
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["agent", "user"],
                condition=models.Q(user__isnull=False),
                name="dreaming_seen_user",
            ),
            models.UniqueConstraint(
                fields=["agent", "owner"],
                condition=models.Q(owner__isnull=False),
                name="dreaming_seen_owner",
            ),
        ]
