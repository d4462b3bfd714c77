"""How much of a file machines have changed by themselves: what the daily limit counts."""

from datetime import datetime
from uuid import UUID

from memoryweb.memory.guards import changed_lines
from memoryweb.workspace.models import RUNS, File, Revision
from memoryweb.workspace.moments import happened
from memoryweb.workspace.revisions import content_of


def changed_by_machines(file_id: UUID, since: datetime, until: datetime) -> int:
    """Lines that dreams and extractions changed between two moments of their own clocks, without
    what a person accepted. A file's first text changes nothing."""
    made = Revision.objects.filter(
        file=file_id,
        author_kind__in=RUNS,
        user=None,
        number__gt=1,
    ).annotate(at=happened())
    numbers = set(made.filter(at__gte=since, at__lte=until).values_list("number", flat=True))
    if not numbers:
        return 0
    texts = _texts(file_id, numbers | {number - 1 for number in numbers})
    return sum(changed_lines(texts[number - 1], texts[number]) for number in numbers)


def _texts(file_id: UUID, numbers: set[int]) -> dict[int, str]:
    found = Revision.objects.filter(file=file_id, number__in=numbers)
    file = File(pk=file_id)
    return {one.number: content_of(file, one.number) if one.is_delta else one.text for one in found}
