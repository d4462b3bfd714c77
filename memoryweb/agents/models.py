import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django_scopes import scope

from memoryweb.accounts.teams import system_team_id
from memoryweb.core import tables
from memoryweb.core.prepared_queries import PreparedQuery
from memoryweb.llm.models import INSTALLATION, TeamModel

# One row everywhere, so that readers find GLOBAL memory without looking the agent up.
GLOBAL_AGENT_ID = uuid.UUID("6d656d6f-7279-5765-8000-676c6f62616c")


class AgentQuerySet(models.QuerySet["Agent"]):
    def live(self) -> "AgentQuerySet":
        return self.filter(archived_at=None)

    def archived(self) -> "AgentQuerySet":
        return self.filter(archived_at__isnull=False)

    def expired(self, before: datetime) -> "AgentQuerySet":
        return self.filter(archived_at__lte=before)

    def due(self, now: datetime) -> "AgentQuerySet":
        return self.live().filter(dreaming=True, next_dream_at__lte=now)


MOST_TOKENS = 100_000_000  # that a journaler may use a day
TINTS = 8  # colors of agents; a team's are as different as these allow


class Agent(tables.UUIDRow):
    class Policy(models.TextChoices):
        APPLY = "apply", _("Apply changes")
        REVIEW = "review", _("Ask a person first")

    class Consolidator(models.TextChoices):
        AUTO = "auto", _("The model when one is configured, else the rules")
        RULES = "rules", _("The rules, never a model")
        MODEL = "model", _("The model")

    class Injection(models.TextChoices):
        FILES = "files", _("The enabled files")
        SUMMARY = "summary", _("The summary in place of MEMORY.md")

    team = models.ForeignKey("accounts.Team", models.CASCADE, related_name="agents")
    name = tables.PlainCharField(_("name"), max_length=64)
    folded_name = tables.PlainCharField(max_length=64, editable=False)
    description = tables.PlainTextField(_("description"), blank=True, max_length=500)
    time_zone = tables.PlainCharField(_("time zone"), max_length=64, default="UTC")
    language = models.CharField(
        _("language"), max_length=8, choices=settings.LANGUAGES, default=settings.LANGUAGE_CODE
    )
    dream_at = models.TimeField(_("dreams at"), default=time(2, 0))
    dreaming = models.BooleanField(_("dreams every night"), default=True)
    next_dream_at = models.DateTimeField(null=True, db_index=True)
    auto_summarize = models.BooleanField(_("extracts after conversations"), default=True)
    owner_isolation = models.BooleanField(_("keeps each person's memory separate"), default=True)
    policy = models.CharField(
        _("machine changes"), max_length=8, choices=Policy.choices, default=Policy.APPLY
    )
    extractor = models.CharField(
        _("what takes the notes"),
        max_length=8,
        choices=Consolidator.choices,
        default=Consolidator.AUTO,
    )
    consolidator = models.CharField(
        _("what writes the dreams"),
        max_length=8,
        choices=Consolidator.choices,
        default=Consolidator.AUTO,
    )
    injection = models.CharField(
        _("what its prompt begins with"),
        max_length=8,
        choices=Injection.choices,
        default=Injection.FILES,
    )
    shadow_journal = models.BooleanField(_("looks at each turn at once"), default=False)
    journal_model = tables.PlainCharField(
        _("the journaler's model"), max_length=120, blank=True, default=""
    )
    journal_tokens = models.IntegerField(
        _("tokens a day that the journaler may use"), default=50_000
    )
    local_models_only = models.BooleanField(_("asks local models only"), default=False)
    is_global = models.BooleanField(default=False)
    tint = models.SmallIntegerField(default=1)
    accepted_changes = models.IntegerField(
        default=0, help_text="of shared memory, by people, since SOUL.md was last looked at"
    )
    archived_at = models.DateTimeField(null=True, blank=True)

    objects = tables.TeamManager.from_queryset(AgentQuerySet)()  # type: ignore[misc]

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["team", "folded_name"],
                condition=Q(archived_at=None),
                name="agents_agent_name",
            )
        ]
        ordering = ["folded_name"]

    def __str__(self) -> str:
        return self.name

    def asks_local_only(self) -> bool:
        """As it is by now: what began before the switch sends nothing elsewhere after it."""
        self.refresh_from_db(fields=["local_models_only"])
        return self.local_models_only

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.time_zone)


@PreparedQuery
def live_agents(team_id: uuid.UUID, agent_id: uuid.UUID) -> models.QuerySet[Agent]:
    """`has_endpoint`: an address of a model was entered in the browser, so that `configured` is
    worth asking."""
    entered = TeamModel.objects.filter(Q(team_id=team_id) | Q(team_id=INSTALLATION))
    found = Agent.objects.live().filter(team=team_id, pk=agent_id)
    return found.annotate(has_endpoint=models.Exists(entered.exclude(base_url="")))


class Owner(tables.UUIDRow):
    """The person or system that a piece of memory is about: three columns, never one joined string.

    `source` is `user`, `system`, a channel (`slack`), a channel's room (`slack:room`) or
    `api:<integration id>`; `external_id` is the identity kept there (SPEC §2).
    """

    team = models.ForeignKey("accounts.Team", models.CASCADE, related_name="owners")
    source = tables.PlainCharField(max_length=80)
    external_id = tables.ErasableCharField(max_length=255)
    integration = models.ForeignKey(
        "accounts.Integration", models.SET_NULL, null=True, blank=True, related_name="owners"
    )
    person = models.ForeignKey(
        "accounts.User", models.SET_NULL, null=True, blank=True, related_name="owners"
    )
    keeping = models.BooleanField(default=True)  # whether what they say is kept
    using = models.BooleanField(default=True)  # and what is kept of them given to agents

    erasure = tables.Erasure.IDENTITY

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["team", "source", "external_id"], name="agents_owner_identity"
            )
        ]

    def __str__(self) -> str:
        return self.shown_as

    @property
    def is_system(self) -> bool:
        """What it says is about nobody, and is the team's."""
        return self.source == "system"

    @property
    def shown_as(self) -> str:
        """`user:<id>`, `slack:U1`, `api:<integration name>/<id>`, `slack:room:C1`, `system`."""
        if self.is_system:
            return "system"
        if self.source.startswith("api:"):
            name = self.integration.name if self.integration else self.source[4:]
            return f"api:{name}/{self.external_id}"
        return f"{self.source}:{self.external_id}"

    @property
    def name(self) -> str:
        """To people, who need no word of the integration that names them."""
        return self.external_id if self.source.startswith("api:") else self.shown_as

    @property
    def paused(self) -> bool:
        return not (self.keeping or self.using)

    @property
    def is_one_person(self) -> bool:
        """Nobody else speaks as this one: neither the system nor a room of several."""
        return not self.is_system and not self.source.endswith(":room")


class BreakGlass(tables.UUIDRow):
    """A person's reasoned, hour-long permission to read one owner's memory."""

    team = models.ForeignKey("accounts.Team", models.CASCADE, related_name="+")
    owner = models.ForeignKey(Owner, models.CASCADE, related_name="break_glass")
    user = models.ForeignKey("accounts.User", models.CASCADE, related_name="+")
    reason = tables.PlainTextField(_("reason"), max_length=500, holds=tables.Holds.LABEL)
    expires_at = models.DateTimeField()

    class Meta:
        indexes = [
            models.Index(fields=["team", "owner", "user", "expires_at"], name="agents_break_glass")
        ]


class OneTimeCode(tables.UUIDRow):
    """A secret that an integration got for one of its owners, or a person of the team `issued`: to
    pass on, who had opened that owner's memory with a reason, or (with `integration`) mailed to the
    owner's address. Only its hash is kept.

    `link` joins the owner to the signed-in person who types it in; `visit` opens *My memory*
    once, for somebody without an account; `address` confirms where such links may be mailed.
    """

    class Purpose(models.TextChoices):
        LINK = "link", _("Link to an account")
        VISIT = "visit", _("Open My memory")
        ADDRESS = "address", _("Confirm an e-mail address")

    team = models.ForeignKey("accounts.Team", models.CASCADE, related_name="+")
    owner = models.ForeignKey(Owner, models.CASCADE, related_name="one_time_codes")
    integration = models.ForeignKey(
        "accounts.Integration", models.CASCADE, null=True, related_name="+"
    )
    purpose = models.CharField(max_length=8, choices=Purpose.choices)
    sha256 = tables.KeyedCharField(max_length=64, unique=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)
    used_by = models.ForeignKey("accounts.User", models.SET_NULL, null=True, related_name="+")
    issued_by = models.ForeignKey("accounts.User", models.SET_NULL, null=True, related_name="+")

    class Meta:
        indexes = [
            models.Index(fields=["team", "owner", "-created_at"], name="agents_one_time_code")
        ]

    @property
    def is_live(self) -> bool:
        return self.expires_at > timezone.now()


class OwnerAddress(tables.TeamRow):
    """Where an owner without an account gets links by mail, as their integration gave it. Nobody of
    the team reads it."""

    owner = models.OneToOneField(Owner, models.CASCADE, primary_key=True, related_name="address")
    team = models.ForeignKey("accounts.Team", models.CASCADE, related_name="+")
    integration = models.ForeignKey("accounts.Integration", models.CASCADE, related_name="+")
    sealed_key = models.BinaryField(help_text="the address")
    language = tables.PlainCharField(max_length=8)
    tries = models.IntegerField(default=0, help_text="wrong codes for this address")
    confirmed_at = models.DateTimeField(null=True)

    @property
    def bound_to(self) -> str:
        """What it is sealed for."""
        return f"address {self.owner_id}"


# When an agent dreams: wall-clock time in its zone, one dream a local date (SPEC §5.1). Pure.


def dream_time(agent: Agent, night: date) -> datetime:
    """The UTC moment of the dream of a local date.

    On the night that skips the hour the dream comes as much later as the clock jumped; on the
    night that has it twice the first one counts.
    """
    local = datetime.combine(night, agent.dream_at, tzinfo=agent.zone)
    return local.astimezone(UTC)


def night_of(agent: Agent, moment: datetime) -> date:
    """The local date of the latest dream time that is not after the moment."""
    today = moment.astimezone(agent.zone).date()
    return today if dream_time(agent, today) <= moment else today - timedelta(days=1)


def next_dream_at(agent: Agent, now: datetime) -> datetime | None:
    """The first dream time after now; None where the agent does not dream."""
    if not agent.dreaming or agent.archived_at is not None:
        return None
    today = now.astimezone(agent.zone).date()
    later = (dream_time(agent, today + timedelta(days=ahead)) for ahead in range(3))
    return next(moment for moment in later if moment > now)


@dataclass(frozen=True)
class Reader:
    """Who is asking, reduced to what decides visibility: an agent, and whose personal memory.

    Without an owner only shared memory is visible: the agent's, and inside `reading` that of
    every team. Whoever makes a Reader has checked that the caller is that owner (or holds a
    break-glass grant for it).
    """

    agent: "Agent"
    owner: "Owner | None" = None

    def sees(self) -> Q:
        """The filter for rows with an `agent` and a nullable `owner` (SPEC §2)."""
        shared = Q(agent__in=[self.agent.pk, GLOBAL_AGENT_ID], owner=None)
        return shared | Q(agent=self.agent, owner=self.owner) if self.owner else shared


@contextmanager
def reading(reader: Reader) -> Iterator[None]:
    """Rows of the system's team are found, too: GLOBAL memory, which `sees` lets through.

    For reads alone: every query inside names the reader's agent or goes through `sees`.
    """
    with scope(team=(reader.agent.team_id, system_team_id())):
        yield
