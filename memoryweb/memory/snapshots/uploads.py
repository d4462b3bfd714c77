"""Archives that wait between their preview and their import, for an hour at most."""

from datetime import datetime, timedelta

from django_scopes import scopes_disabled

from memoryweb.accounts.models import User
from memoryweb.agents.models import Agent, Owner
from memoryweb.audit.record import target
from memoryweb.memory.models import Upload
from memoryweb.memory.models.transaction import Transaction
from memoryweb.memory.models.writer import Writer
from memoryweb.memory.snapshots import service as snapshots
from memoryweb.memory.snapshots.service import Imported

KEPT = timedelta(hours=1)


def keep(
    tx: Transaction, agent: Agent, owner: Owner | None, archive: bytes, *, user: User
) -> Upload:
    """One a person: an earlier one that was left behind goes."""
    Upload.objects.filter(team=tx.team, user=user).delete()
    upload = Upload.objects.create(
        team=tx.team,
        agent=agent,
        owner=owner,
        user=user,
        archive=archive,
        expires_at=tx.now + KEPT,
    )
    tx.record(
        "snapshot.uploaded",
        **target(agent),
        on_behalf_of=upload.owner_id,
        details={"size": len(archive)},
    )
    return upload


def take(tx: Transaction, upload: Upload, token: str, *, by: Writer) -> Imported:
    """Import it, and keep it no longer. Raises what snapshots.apply raises."""
    archive = bytes(upload.archive)
    done = snapshots.apply(tx, upload.agent, upload.owner, archive, token, by=by)
    if done.batch is None:
        drop(tx, upload)
    else:
        upload.delete()
    return done


def drop(tx: Transaction, upload: Upload) -> None:
    tx.record(
        "snapshot.dropped",
        target_kind="agent",
        target_id=str(upload.agent_id),
        agent_id=upload.agent_id,
        on_behalf_of=upload.owner_id,
    )
    upload.delete()


def purge(now: datetime) -> None:
    with scopes_disabled():
        Upload.objects.filter(expires_at__lte=now).delete()
