"""Which prompts and searches a statement was given to."""

from collections.abc import Iterable, Iterator
from datetime import datetime

from django.db.models import Q

from memoryweb.facts.models import Fact
from memoryweb.search.models import InjectedSpan, Injection

_MOST = 5_000  # spans that are looked through


def uses_of(fact: Fact, line: int, which: Q, since: datetime) -> list[Injection]:
    """The latest first, once for each prompt; `which` filters by the injection's `owner`.

    Lines move from revision to revision: of an older one only a whole beginning counts.
    """
    if fact.file is None or not line:
        return []
    spans = InjectedSpan.objects.filter(which, file=fact.file, injection__at__gte=since)
    shown = spans.select_related("injection__conversation").order_by("-injection__at", "-pk")
    covering = _covering(fact, line, shown[:_MOST])
    return list({span.injection_id: span.injection for span in covering}.values())


def _covering(fact: Fact, line: int, spans: Iterable[InjectedSpan]) -> Iterator[InjectedSpan]:
    assert fact.file is not None
    for span in spans:
        is_there = span.first_line <= line <= span.last_line
        is_same = span.revision == fact.file.revision
        if is_there and (
            is_same or (span.first_line <= 1 and span.injection.at >= fact.created_at)
        ):
            yield span
