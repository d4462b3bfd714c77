"""What follows when an older database stands where a newer one was: its chains go on with a
declared gap, and what the ledger tells of is erased, revoked and removed once more.
"""

from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

from django.contrib.sessions.models import Session
from django.db.models import F, Model
from django_scopes import scope, scopes_disabled

from memoryweb.accounts import integrations, members, teams, tokens
from memoryweb.accounts.exceptions import AccountsRefused
from memoryweb.accounts.models import Integration, Invitation, Membership, Team, Token
from memoryweb.agents import one_time_codes, owners
from memoryweb.agents.models import Agent, Owner
from memoryweb.audit import checkpoints, keys, ledger
from memoryweb.audit.ledger import ERASED, HEAD, LedgerEntry, LedgerRefused
from memoryweb.audit.models import ChainHead
from memoryweb.audit.record import SYSTEM
from memoryweb.audit.verify import chains
from memoryweb.core.archive import BackupRefused, Manifest
from memoryweb.llm import choices
from memoryweb.llm.models import TeamEmbedding, TeamModel
from memoryweb.memory.agents import change_agent, remove_agent
from memoryweb.memory.forgetting import Replayed, erase_again
from memoryweb.memory.models.writer import Transaction, write_transaction
from memoryweb.notify import endpoints
from memoryweb.notify.models import Endpoint
from memoryweb.runs.models import Run

FORMAT = 1
_PURPOSE = b"memoryweb backup 1\n"
Entries = Mapping[UUID, list[LedgerEntry]]


# The backup's list of files is signed like a checkpoint.


def sign(manifest: bytes) -> dict[str, str]:
    return {"key": keys.public_key(), "signature": keys.signer().sign(_PURPOSE + manifest).hex()}


def check(manifest: bytes, signed: Mapping[str, str]) -> None:
    """Raises BackupRefused."""
    if signed["key"] != keys.public_key():
        raise BackupRefused(
            "This backup was signed with another checkpoint-key. Put back the one it was made with."
        )
    if not keys.has_signed(signed["key"], signed["signature"], _PURPOSE + manifest):
        raise BackupRefused("This backup was changed: its signature doesn't fit.")


# The ledger that fits it.


def told_since(manifest: Manifest, folders: Collection[Path]) -> Entries:
    """By team what came after the backup. Raises LedgerRefused for a ledger that is older."""
    heads = dict(ChainHead.objects.values_list("team_id", "seq"))
    return {
        team_id: _since(team_id, heads.get(team_id, 0), manifest["ledger"], folders)
        for team_id in heads.keys() | ledger.teams(folders)
    }


def _since(
    team_id: UUID, seq: int, known_of: Mapping[str, str], folders: Collection[Path]
) -> list[LedgerEntry]:
    found, known = ledger.read(team_id, folders), known_of.get(str(team_id), "")
    digests = [digest for digest, _entry in found]
    at = digests.index(known) if known in digests else None
    entries = [entry for _digest, entry in found[0 if at is None else at + 1 :]]
    is_there = at is not None or not known
    if not is_there or max((entry.seq for entry in entries), default=0) < seq:
        raise LedgerRefused(
            f"The ledger of team {team_id} in {', '.join(map(str, folders))} is older than"
            " this backup, or not there. Give its newest copy (--ledger), or use --without-ledger."
        )
    return entries


# What follows.


def begin(told: Entries | None, folders: Collection[Path], now: datetime) -> None:
    """Chains go on with a declared gap, also those that began after the backup; everybody signs in
    again, and nobody works on a run."""
    Session.objects.all().delete()
    with scopes_disabled():
        held = Run.objects.filter(status=Run.Status.RUNNING)
        held.update(status=Run.Status.QUEUED, fence=F("fence") + 1, lease_until=None, due_at=now)
    for team_id in chains():
        if told is None:
            ledger.put_aside(team_id, now)
            checkpoints.declare_gap(team_id, now, 0, checkpoints.WITHOUT_LEDGER)
        else:
            ledger.adopt(team_id, folders, now)
            known = max((entry.seq for entry in told.get(team_id, ())), default=0)
            checkpoints.declare_gap(team_id, now, known)


def replay(told: Entries) -> tuple[Replayed, int]:
    """What became of erasures, and how much was revoked or removed."""
    revoked, done = 0, Replayed()
    for team_id, entries in told.items():
        acts = [entry for entry in entries if entry.what not in {ERASED, HEAD}]
        revoked += sum(_again(team_id, entry) for entry in acts)
    for team in Team.objects.filter(pk__in=told):
        erase_again(team, [one for one in told[team.pk] if one.what == ERASED], done)
    return done, revoked


def _again(team_id: UUID, entry: LedgerEntry) -> bool:
    """Whether there was something to do."""
    row, team = entry.places[0].row, Team.objects.filter(pk=team_id).first()
    if team is None or not row:
        return False
    model, act = _ACTS[entry.what]
    with scope(team=team), suppress(AccountsRefused), write_transaction(team) as tx:
        key = {"user": UUID(row), "team": team} if model is Membership else {"pk": row}
        for found in model._default_manager.filter(**key):
            off = [place.table for place in entry.places[1:]]
            return act(tx, found, *off) is not False
    return False


def _by_us(act: Callable[..., object], name: str) -> Callable[..., object]:
    return lambda _tx, row, *_off: act(**{name: row}, by=SYSTEM)


def _remove_endpoint(tx: Transaction, row: Any) -> None:
    """A team's, or the installation's, whose acts stand in the system's chain."""
    choices.remove_own(team_id=row.team_id, by=SYSTEM, table=type(row), chain=tx.team.pk)


def _choose_none(tx: Transaction, row: Any, *_off: str) -> None:
    choices.choose(team_id=tx.team.pk, choice="none", by=SYSTEM, table=type(row))


def _unlink(_tx: Transaction, owner: Owner) -> bool:
    user = owner.person
    return bool(user and one_time_codes.unlink(owner=owner, user=user, by=SYSTEM))


def _ask_local_ones(tx: Transaction, agent: Agent, *_off: str) -> bool:
    return bool(change_agent(tx, agent, local_models_only=True))


def _switch(_tx: Transaction, owner: Owner, *off: str) -> bool:
    """To what is off, and nothing else."""
    on = set(owners.SWITCHES) - set(off)
    owners.set_paused(owner=owner, paused=True, by=SYSTEM, what=off)
    owners.set_paused(owner=owner, paused=False, by=SYSTEM, what=sorted(on))
    return bool(off)


_withdraw = _by_us(members.withdraw, "invitation")
# The last admin, too: superusers make another one.
_remove = _by_us(partial(members.remove_member, keep_an_admin=False), "membership")
_endpoints: tuple[type[TeamModel | TeamEmbedding], ...] = (TeamModel, TeamEmbedding)
# By event what it happened to, and doing that once more.
_ACTS: dict[str, tuple[type[Model], Callable[..., object]]] = {
    "agent.changed": (Agent, _ask_local_ones),
    "agent.removed": (Agent, remove_agent),
    "integration.revoked": (Integration, _by_us(integrations.revoke_integration, "integration")),
    "invitation.accepted": (Invitation, _withdraw),
    "invitation.withdrawn": (Invitation, _withdraw),
    "member.removed": (Membership, _remove),
    **{f"{one.noun}.removed": (one, _remove_endpoint) for one in _endpoints},
    **{f"{one.noun}.chosen": (one, _choose_none) for one in _endpoints},
    # Another one stood in its place, or none.
    "owner.address_given": (Owner, _by_us(one_time_codes.remove_address, "owner")),
    "owner.address_removed": (Owner, _by_us(one_time_codes.remove_address, "owner")),
    "owner.code_withdrawn": (Owner, _by_us(one_time_codes.withdraw, "owner")),
    "owner.paused": (Owner, _switch),
    "owner.resumed": (Owner, _switch),
    "owner.unlinked": (Owner, _unlink),
    "team.removed": (Team, _by_us(teams.remove_demo, "team")),
    "token.revoked": (Token, _by_us(tokens.revoke, "token")),
    "webhook.removed": (Endpoint, endpoints.remove),
}
