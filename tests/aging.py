"""A long past without living it."""

from datetime import timedelta

from memoryweb.memory.models import File, Revision

_FIELDS = [field for field in Revision._meta.concrete_fields if not field.primary_key]
_AT_ONCE = 5000


def age(file: File, revisions: int) -> None:
    """As if its last revision were written again each second, until there are so many."""
    last = file.revisions.get(number=file.revision)
    values = {field.attname: getattr(last, field.attname) for field in _FIELDS}
    assert last.base == last.number, "a whole text"
    for first in range(last.number + 1, revisions + 1, _AT_ONCE):
        numbers = range(first, min(first + _AT_ONCE, revisions + 1))
        times = [last.created_at + timedelta(seconds=n - last.number) for n in numbers]
        Revision.objects.bulk_create(
            Revision(**{**values, "number": n, "base": n, "created_at": at})
            for n, at in zip(numbers, times, strict=True)
        )
    file.revision = revisions
    file.save(update_fields=["revision"])
