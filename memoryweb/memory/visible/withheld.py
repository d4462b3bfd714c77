"""What a program may not read of what it asks to forget: hidden, flagged or reverted text."""

from collections.abc import Callable, Iterable

from django.db.models import Q

from memoryweb.language.statement_comparison import fingerprint
from memoryweb.memory.lines.flags import flagged_messages, flagged_of
from memoryweb.memory.models import Fact, Request, Target
from memoryweb.memory.models.forgetting import Meant
from memoryweb.memory.visible.hidden import hiding, of_targets

_NOT_READ = frozenset({Fact.State.PENDING, Fact.State.RETIRED})


def withheld_among(
    places: Iterable[Meant | Target], *, besides: Request | None = None
) -> Callable[[Meant | Target], bool]:
    """Tells of each of these places; `besides` is the request that hides them only now."""
    shown = list(places)
    files = {one.file.pk: one.file for one in shown if one.file}
    messages = {one.message.pk: one.message for one in shown if one.message}
    facts = {one.fact.pk for one in shown if one.fact}
    rows = hiding(Q(fact__in=facts) | Q(file__in=files) | Q(message__in=messages))
    away = of_targets(rows.exclude(request=besides) if besides else rows)
    prints = {key: set(found) for key, found in away.prints.items()}
    for key, numbers in (flagged_of(files.values()) if files else {}).items():
        lines = files[key].content.split("\n")
        found = {fingerprint(lines[n - 1]) for n in numbers if n <= len(lines)}
        prints[key] = prints.get(key, set()) | found
    flagged = flagged_messages(messages.values()) if messages else set()

    def is_withheld(one: Meant | Target) -> bool:
        if one.fact and (one.fact.pk in away.facts or one.fact.state in _NOT_READ):
            return True
        if one.file and one.fingerprint in prints.get(one.file.pk, ()):
            return True
        said = one.message
        return said is not None and (
            said.reverted_at is not None or said.pk in flagged or said.pk in away.spans
        )

    return is_withheld


def withheld_targets(request: Request, *, besides: Request | None = None) -> set[int]:
    rows = list(request.targets.select_related("fact", "file", "message"))
    is_withheld = withheld_among(rows, besides=besides)
    return {row.pk for row in rows if is_withheld(row)}
