"""Taking words out of the history without taking the history."""

from uuid import UUID

from memoryweb.audit.models import Label


def erase_labels(team_id: UUID) -> int:
    """Empty every label of a chain. Its events keep their commitments and still verify."""
    return Label.objects.filter(team_id=team_id).update(salt=None, text="")


def erase_labels_of(team_id: UUID, owner_id: UUID) -> int:
    """The same of what happened on behalf of one owner."""
    rows = Label.objects.filter(team_id=team_id, event__on_behalf_of=owner_id)
    return rows.update(salt=None, text="")
