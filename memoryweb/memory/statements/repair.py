"""Proving that facts are what files say, and making them so: for databases that are older than
facts, after another version reads statements otherwise, and whenever somebody wants to know."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.migrations import Migration
from django.db.models import Exists, OuterRef, Q
from django_scopes import scope

from memoryweb.accounts.models import Team
from memoryweb.markdown.paths import kind_of
from memoryweb.memory.models import Fact, File
from memoryweb.memory.models.writer import write_transaction
from memoryweb.memory.statements import projection


@dataclass(frozen=True)
class ProjectionCheck:
    """`differing`: files, by id, whose statements were not their facts."""

    files: int
    statements: int
    differing: tuple[str, ...]


def check(team: Team) -> ProjectionCheck:
    with scope(team=team):
        found = list(_files(Q()))
        differing = tuple(str(file.pk) for file in found if not projection.is_in_line(file))
        return ProjectionCheck(len(found), Fact.objects.standing().count(), differing)


def project(team: Team) -> ProjectionCheck:
    """A transaction each file, so that it can be stopped and run again."""
    return _project(team, Q())


def project_older(*, plan: Sequence[tuple[Migration, bool]] = (), **_signal: Any) -> None:
    """Receiver of `post_migrate`: files of before get their facts, unless the way leads back; and
    what an upgrade brings may read statements differently."""
    is_upgraded = any(one.app_label == Fact._meta.app_label for one, _back in plan)
    if Fact._meta.db_table not in connection.introspection.table_names():
        return
    for team in Team.objects.order_by("slug"):
        with scope(team=team):
            none = ~Exists(Fact.objects.filter(file=OuterRef("pk")))
        is_without = none & Q(deleted_at=None) & ~Q(raw_content="")
        _project(team, Q() if is_upgraded else is_without)


def _project(team: Team, which: Q) -> ProjectionCheck:
    count, differing = 0, []
    with scope(team=team):
        for file in _files(which):
            count += 1
            if projection.is_in_line(file):
                continue
            with write_transaction(team) as tx:
                projection.bring_in_line(
                    tx, File.objects.select_for_update(of=("self",)).get(pk=file.pk)
                )
            differing.append(str(file.pk))
        return ProjectionCheck(count, Fact.objects.standing().count(), tuple(differing))


def _files(which: Q) -> Iterator[File]:
    """Those whose kind holds facts, one at a time."""
    rows = File.objects.filter(which).order_by("pk").values_list("pk", "path")
    for key in [pk for pk, path in rows if kind_of(path).holds_facts]:
        yield File.objects.select_related("agent", "owner").get(pk=key)
