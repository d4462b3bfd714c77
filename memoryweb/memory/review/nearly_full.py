"""MEMORY.md is nearly full of what no machine may take out: Review says so, once."""

from memoryweb.accounts.models import User
from memoryweb.markdown.file_kinds import CORE
from memoryweb.memory.models import CrowdedFile, File
from memoryweb.memory.models.refusals import Decided
from memoryweb.memory.models.review_items import Kind, follow
from memoryweb.memory.models.transaction import Transaction
from memoryweb.memory.statements.listing import protected_size
from memoryweb.memory.writing import write
from memoryweb.memory.writing.write import Place

State = CrowdedFile.State
_MOST = 0.8 * (CORE["MEMORY.md"].limit or 0)  # characters that are protected


def is_crowded(file: File) -> bool:
    """Of MEMORY.md."""
    return protected_size(file, _MOST) > _MOST


def tell(tx: Transaction, place: Place, content: str) -> None:
    """After a dream; what nobody has seen yet goes when there is room again."""
    file = write.find(place) if len(content) > _MOST else None
    if file is not None and is_crowded(file):
        found, is_new = CrowdedFile.objects.get_or_create(
            file=file, defaults={"team": tx.team, "created_at": tx.now}
        )
        if is_new:
            follow(Kind.CROWDED, [found.pk])
    else:
        files = File.objects.of(place.agent.pk, place.owner.pk if place.owner else None)
        open_ones = CrowdedFile.objects.filter(state=State.OPEN)
        open_ones.filter(file__in=files.filter(path=place.path).values("pk")).delete()


def see(tx: Transaction, found: CrowdedFile, *, by: User) -> None:
    """Raises Decided."""
    seen = {"state": State.SEEN, "decided_by": by, "decided_at": tx.now}
    if not CrowdedFile.objects.filter(pk=found.pk, state=State.OPEN).update(**seen):
        raise Decided
    follow(Kind.CROWDED, [found.pk])
    tx.record(
        "file.crowded_seen",
        target_kind="file",
        target_id=str(found.file_id),
        agent_id=found.file.agent_id,
        on_behalf_of=found.file.owner_id,
    )


def undo(tx: Transaction, found: CrowdedFile) -> None:
    """Raises Decided."""
    again = {"state": State.OPEN, "decided_by": None, "decided_at": None}
    if not CrowdedFile.objects.filter(pk=found.pk, state=State.SEEN).update(**again):
        raise Decided
    follow(Kind.CROWDED, [found.pk])
    tx.record(
        "review.undone",
        target_kind="file",
        target_id=str(found.file_id),
        on_behalf_of=found.file.owner_id,
    )
