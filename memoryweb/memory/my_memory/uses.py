"""When a sentence was last given to an agent: by search and tools, or as a part of a prompt."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Max, Value

from memoryweb.memory.index.recalls import keyed_hash
from memoryweb.memory.models import InjectedSpan, RecallEvent
from memoryweb.memory.my_memory.contents import Place, Sentence

LOOKED_BACK = timedelta(days=90)
Use = tuple[UUID, str]  # a file, and the hash of a line


@dataclass(frozen=True)
class _Span:
    revision: int
    first: int
    last: int
    at: datetime


def last_uses(sentences: Iterable[Sentence], now: datetime) -> dict[Place, datetime]:
    """Of the last 90 days, in one statement."""
    shown = list(sentences)
    recalled, injected = _uses(shown, now - LOOKED_BACK)
    found: dict[Place, datetime] = {}
    for one in shown:
        moments = [span.at for span in injected.get(one.file.pk, ()) if _covers(span, one)]
        if recall := recalled.get((one.file.pk, keyed_hash(one.block.text))):
            moments.append(recall)
        if moments:
            found[one.place] = max(moments)
    return found


def _uses(
    shown: Iterable[Sentence], since: datetime
) -> tuple[Mapping[Use, datetime], Mapping[UUID, list[_Span]]]:
    """When each line was recalled, and which lines of each file were injected."""
    uses = {(one.file.pk, keyed_hash(one.block.text)) for one in shown}
    files = {file for file, _hash in uses}
    recalls = RecallEvent.objects.filter(
        file__in=files, line_hash__in={line for _file, line in uses}, at__gte=since
    ).annotate(revision=Value(0), first_line=Value(0), last_line=Value(0))
    spans = InjectedSpan.objects.filter(file__in=files, injection__at__gte=since)
    spans = spans.annotate(line_hash=Value(""))
    columns = ("file_id", "line_hash", "revision", "first_line", "last_line")
    recalled, injected = {}, defaultdict(list)
    latest = recalls.order_by().values_list(*columns).annotate(last=Max("at"))
    of_spans = spans.order_by().values_list(*columns).annotate(last=Max("injection__at"))
    for file, line, revision, first, last, at in latest.union(of_spans, all=True):
        if line:
            recalled[file, line] = at
        else:
            injected[file].append(_Span(revision or 0, first, last, at))
    return recalled, injected


def _covers(span: _Span, one: Sentence) -> bool:
    """Lines move from revision to revision: of an older one only a whole beginning counts."""
    if span.revision == one.file.revision:
        return span.first <= one.block.line and one.block.end <= span.last
    is_old = one.origins.since <= span.revision < one.file.revision
    return is_old and span.first <= 1 and one.block.end <= span.last
