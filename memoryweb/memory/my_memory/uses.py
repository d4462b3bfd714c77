"""When a sentence was last given to an agent: by search and tools, or as a part of a prompt."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Max

from memoryweb.memory.my_memory.sentences import Place, Sentence
from memoryweb.search.models import InjectedSpan, RecallEvent
from memoryweb.search.recalls import keyed_hash

LOOKED_BACK = timedelta(days=90)


@dataclass(frozen=True)
class _Span:
    revision: int
    first: int
    last: int
    at: datetime


def last_uses(sentences: Iterable[Sentence], now: datetime) -> dict[Place, datetime]:
    """Of the last 90 days, in two statements."""
    shown = list(sentences)
    since = now - LOOKED_BACK
    recalled = _recalled(shown, since)
    injected = _injected({one.file.pk for one in shown}, since)
    found: dict[Place, datetime] = {}
    for one in shown:
        moments = [span.at for span in injected.get(one.file.pk, ()) if _covers(span, one)]
        if recall := recalled.get((one.file.pk, keyed_hash(one.block.text))):
            moments.append(recall)
        if moments:
            found[one.place] = max(moments)
    return found


def _recalled(shown: Iterable[Sentence], since: datetime) -> Mapping[tuple[UUID, str], datetime]:
    hashes = {(one.file.pk, keyed_hash(one.block.text)) for one in shown}
    rows = RecallEvent.objects.filter(
        file__in={file for file, _hash in hashes},
        line_hash__in={line for _file, line in hashes},
        at__gte=since,
    )
    latest = rows.values_list("file_id", "line_hash").annotate(last=Max("at")).order_by()
    return {(file, line): at for file, line, at in latest}


def _injected(files: Iterable[UUID], since: datetime) -> Mapping[UUID, list[_Span]]:
    found: dict[UUID, list[_Span]] = defaultdict(list)
    rows = InjectedSpan.objects.filter(file__in=list(files), injection__at__gte=since)
    columns = ("file_id", "revision", "first_line", "last_line")
    latest = rows.values_list(*columns).annotate(last=Max("injection__at")).order_by()
    for file, revision, first, last, at in latest:
        found[file].append(_Span(revision or 0, first, last, at))
    return found


def _covers(span: _Span, one: Sentence) -> bool:
    """Lines move from revision to revision: of an older one only a whole beginning counts."""
    if span.revision == one.file.revision:
        return span.first <= one.block.line and one.block.end <= span.last
    is_old = one.origins.since <= span.revision < one.file.revision
    return is_old and span.first <= 1 and one.block.end <= span.last
