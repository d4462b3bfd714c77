"""How long a team keeps messages, and people who say nothing any more (SPEC §9)."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Exists, F, OuterRef, Q
from django.db.models.functions import Coalesce
from django_scopes import scope

from memoryweb.accounts.models import Team
from memoryweb.agents.models import Owner
from memoryweb.memory.forgetting import erasing, hiding
from memoryweb.memory.models import Conversation, ForgetRequest, Message
from memoryweb.memory.models.files import stored_bytes
from memoryweb.memory.models.review import drop_empty
from memoryweb.memory.models.writer import write_transaction
from memoryweb.runs import ticking

MEASURED, MEASURED_EVERY = "measured", timedelta(hours=1)
MESSAGES_A_TICK, OWNERS_A_TICK = 500, 5  # so that no tick holds up what writes


def expire(now: datetime) -> None:
    """Once a minute, some of what is too old; nothing under a legal hold."""
    limited = Team.objects.filter(Q(messages_days__isnull=False) | Q(owners_days__isnull=False))
    for team in limited:
        with scope(team=team):
            _expire_messages(team, now)
            _expire_owners(team, now)


def measure(now: datetime) -> None:
    """Once an hour, where it is limited for anyone: how much each team stores."""
    if not (settings.QUOTAS["stored_mb"] or Team.objects.exclude(stored_mb=None).exists()):
        return
    ticking.seldom(MEASURED, MEASURED_EVERY, _measure, now)


def _measure(_now: datetime) -> None:
    sizes = stored_bytes()
    for team in Team.objects.only("stored_bytes"):
        if team.stored_bytes != sizes[team.pk]:
            Team.objects.filter(pk=team.pk).update(stored_bytes=sizes[team.pk])


def _expire_messages(team: Team, now: datetime) -> None:
    """Those that were extracted, or never will be."""
    if team.messages_days is None:
        return
    before = now - timedelta(days=team.messages_days)
    read = Q(position__lte=F("conversation__extracted_upto")) | Q(conversation__waiting=False)
    old = Message.objects.filter(read, created_at__lt=before, team=team)
    for agent_id, owner_id in hiding.lasting_holds(team.pk).values_list("agent", "owner"):
        kept = Q() if agent_id is None else Q(conversation__agent=agent_id)
        kept &= Q() if owner_id is None else Q(conversation__owner=owner_id)
        old = old.exclude(kept) if kept else old.none()
    keys = list(old.order_by("pk").values_list("pk", flat=True)[:MESSAGES_A_TICK])
    if keys:
        with write_transaction(team) as tx:
            Message.objects.filter(pk__in=keys).delete()
            drop_empty()
            tx.record("memory.expired", details={"messages": len(keys)})


def _expire_owners(team: Team, now: datetime) -> None:
    """People who have said nothing for so long, with all that is kept about them."""
    if team.owners_days is None:
        return
    before = now - timedelta(days=team.owners_days)
    talks = Conversation.objects.filter(owner=OuterRef("pk"))
    recent = talks.annotate(at=Coalesce("last_message_at", "created_at")).filter(at__gte=before)
    asked = ForgetRequest.objects.filter(owner=OuterRef("pk"), is_everything=True)
    silent = team.owners.filter(created_at__lt=before).exclude(source__in=("system", "user"))
    for owner in silent.filter(~Exists(recent), ~Exists(asked))[:OWNERS_A_TICK]:
        _erase(team, owner)


def _erase(team: Team, owner: Owner) -> None:
    if not hiding.is_held(team.pk, None, owner.pk):
        with write_transaction(team) as tx:
            erasing.erase_owner(tx, owner)
