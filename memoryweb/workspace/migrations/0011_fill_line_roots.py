"""Follow every line that stands on another line to what was first written down."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any
from uuid import UUID

from django.apps.registry import Apps
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import OuterRef, Q, Subquery

from memoryweb.markdown.diff import carry

Root = tuple[int | None, int]  # a message, and the revision that wrote it down


def fill(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    line_origin = apps.get_model("workspace", "LineOrigin")
    past_origin = apps.get_model("workspace", "PastOrigin")
    revision = apps.get_model("workspace", "Revision")
    wrote = revision.objects.filter(file=OuterRef("file"), number=OuterRef("since")).values("pk")
    own = Q(source_file=None) | Q(author_kind="person")
    line_origin.objects.filter(own).update(root=Subquery(wrote[:1]))
    past_origin.objects.filter(source_file=None).update(root=Subquery(wrote[:1]))
    for model in (line_origin, past_origin):
        _follow(apps, model.objects.filter(root=None).exclude(source_file=None))
    for proposal in apps.get_model("workspace", "Proposal").objects.filter(state="pending"):
        proposal.origins = dict(_packed(apps, proposal.origins))
        proposal.save(update_fields=["origins"])


def empty(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Rows that were doubled for a second root stay: they are read like any other."""
    for name in ("LineOrigin", "PastOrigin"):
        rows = apps.get_model("workspace", name).objects
        rows.exclude(source_file=None).update(message=None)


def _follow(apps: Apps, rows: Any) -> None:
    places = rows.order_by("source_file", "source_revision")
    for file_id, number in places.values_list("source_file", "source_revision").distinct():
        roots = _roots(apps, file_id, number)
        for row in rows.filter(source_file=file_id, source_revision=number):
            for message_id, root_id in roots.get(row.source_line, ()):
                row.message_id, row.root_id = message_id, root_id
                row.save()
                row.pk = None  # further roots are further rows


def _packed(apps: Apps, origins: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for line, origin in origins.items():
        sources: list[list[Any]] = []
        for file_id, number, at, message_id, *_root in origin["sources"]:
            known = _roots(apps, UUID(file_id), number).get(at) if file_id and number else None
            sources += [[file_id, number, at, *root] for root in known or [(message_id, None)]]
        yield line, origin | {"sources": sources}


def _roots(apps: Apps, file_id: UUID, number: int) -> dict[int, list[Root]]:
    """Line of a file at a revision → what it stands on in the end."""
    revision = apps.get_model("workspace", "Revision")
    rows = list(revision.objects.filter(file=file_id).order_by("number"))
    texts = dict(_texts(rows))
    if number not in texts:
        return {}
    told: dict[tuple[int, int], list[Root]] = defaultdict(list)
    living = apps.get_model("workspace", "LineOrigin").objects.filter(file=file_id)
    for line, *root in living.exclude(root=None).values_list("line", "message", "root"):
        told[0, line].append((root[0], root[1]))
    gone = apps.get_model("workspace", "PastOrigin").objects.filter(file=file_id)
    for at, line, *root in gone.exclude(root=None).values_list("gone", "line", "message", "root"):
        told[at, line].append((root[0], root[1]))
    return {
        line: told.get(place) or [(None, _brought(rows, texts, texts[number][line - 1]))]
        for line, place in _places(texts, number).items()
    }


def _texts(rows: list[Any]) -> Iterator[tuple[int, list[str]]]:
    text = ""
    for row in rows:
        text = row.text if row.base == row.number else text + row.text
        yield row.number, text.split("\n")


def _places(texts: dict[int, list[str]], number: int) -> dict[int, tuple[int, int]]:
    """Line → the revision that took it away and its number before that, or 0 and its number now."""
    now = {line: line for line in range(1, len(texts[number]) + 1)}
    found = {}
    before = texts[number]
    for later in (n for n in texts if n > number):
        moved = {old: new for new, old in carry(before, texts[later]).same.items()}
        found |= {line: (later, at) for line, at in now.items() if at not in moved}
        now = {line: moved[at] for line, at in now.items() if at in moved}
        before = texts[later]
    return found | {line: (0, at) for line, at in now.items()}


def _brought(rows: list[Any], texts: dict[int, list[str]], line: str) -> int:
    """Of a line that nothing more is known of: the first revision that has it."""
    return next(row.pk for row in rows if line in texts[row.number])


class Migration(migrations.Migration):
    dependencies = [("workspace", "0010_line_roots")]
    operations = [migrations.RunPython(fill, empty)]
