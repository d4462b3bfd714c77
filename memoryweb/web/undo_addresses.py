"""What several files' Undo takes back, as an address holds it."""

from collections.abc import Iterable
from uuid import UUID

MOST_SAVES = 20  # in one address


def saves_text(saves: Iterable[tuple[UUID, int]]) -> str:
    """Revisions of several files, to be undone together, as an address has them."""
    return "~".join(f"{file_id}.{number}" for file_id, number in saves)


def saves_in(text: str) -> list[tuple[UUID, int]]:
    """The same from an address; none where one can't be read."""
    found = []
    for part in text.split("~")[:MOST_SAVES]:
        file_id, _dot, number = part.partition(".")
        try:
            found.append((UUID(file_id), int(number[:9])))
        except ValueError:
            return []
    return found
