"""An installation as plain rows: taken down by one version, put back for a later one to upgrade.

    python -m tests.upgrade.rows > tests/upgrade/<milestone>.json.gz

takes down a demo team that lived three days and forgot some of it, made by the version that this
runs in.
"""

import base64
import gzip
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import django
from django.apps import apps
from django.apps.registry import Apps
from django.core.management import call_command
from django.core.management.color import no_style
from django.core.serializers.json import DjangoJSONEncoder
from django.db import connection, models, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone
from django_scopes import scopes_disabled

_DAYS = 2


def taken() -> bytes:
    rows = {model._meta.label: _of(model) for model in _models(apps)}
    applied: dict[str, str] = {}
    for app, name in sorted(MigrationRecorder(connection).applied_migrations()):
        applied[app] = name
    said = {"migrations": applied, "rows": {label: found for label, found in rows.items() if found}}
    return gzip.compress(json.dumps(said, cls=_Encoder).encode(), mtime=0)


def put_back(milestone: Path) -> list[tuple[str, str]]:
    """Migrates an empty database to the milestone's state and fills it.

    Returns the tables that it filled, each with the name of its key's column.
    """
    said = json.loads(gzip.decompress(milestone.read_bytes()))
    executor = MigrationExecutor(connection)
    ours = {model._meta.app_label for model in _models(apps)}
    targets = [node for node in executor.loader.graph.leaf_nodes() if node[0] not in ours]
    targets += [(app, name) for app, name in said["migrations"].items() if app in ours]
    executor.migrate(targets)
    past = executor.loader.project_state(targets).apps
    made = [past.get_model(label) for label in said["rows"]]
    with transaction.atomic():
        for model in made:  # what migrations made had other ids there
            model._base_manager.all()._raw_delete("default")
        for model in made:
            model._base_manager.bulk_create(
                [_row(model, row) for row in said["rows"][model._meta.label]]
            )
    for statement in connection.ops.sequence_reset_sql(no_style(), made):
        with connection.cursor() as cursor:
            cursor.execute(statement)
    return [(model._meta.db_table, _key(model)) for model in made]


def _key(model: type[models.Model]) -> str:
    key = model._meta.pk
    assert key
    return str(key.column)


def _models(registry: Apps) -> list[type[models.Model]]:
    ours = {app.label for app in apps.get_app_configs() if app.name.startswith("memoryweb.")}
    return [model for model in registry.get_models() if model._meta.app_label in ours]


def _of(model: type[models.Model]) -> list[dict[str, Any]]:
    names = [field.attname for field in model._meta.concrete_fields]
    return list(model._base_manager.order_by("pk").values(*names))


def _row(model: type[models.Model], row: dict[str, Any]) -> models.Model:
    return model(
        **{
            field.attname: _value(field, row[field.attname])
            for field in model._meta.concrete_fields
        }
    )


def _value(field: Any, value: Any) -> Any:
    if isinstance(field, models.BinaryField) and value is not None:
        return base64.b64decode(value)
    return field.to_python(value)


class _Encoder(DjangoJSONEncoder):
    def default(self, o: Any) -> Any:
        if isinstance(o, bytes | memoryview):
            return base64.b64encode(o).decode()
        return super().default(o)


def _main() -> None:
    with tempfile.TemporaryDirectory(prefix="memoryweb-milestone-") as home:
        os.environ["MEMORYWEB_HOME"] = home
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryweb.settings")
        django.setup()
        call_command("migrate", verbosity=0, interactive=False)
        from memoryweb.accounts.teams import create_team  # noqa: PLC0415 -- need settings
        from memoryweb.audit.record import SYSTEM  # noqa: PLC0415
        from memoryweb.commands.demo import building  # noqa: PLC0415

        building.DAYS = _DAYS
        with scopes_disabled():
            team = create_team(name=building.NAME, by=SYSTEM, is_demo=True)
            building.build(team, "a plain test password", timezone.now())
            _forget(team)
            sys.stdout.buffer.write(taken())


def _forget(team: Any) -> None:
    """Of one owner something is erased, of the others something waits for it."""
    from memoryweb.memory.forgetting import hiding, targets  # noqa: PLC0415
    from memoryweb.memory.models import Fact, Request  # noqa: PLC0415
    from memoryweb.memory.models.transaction import write_transaction  # noqa: PLC0415
    from memoryweb.runs import engine  # noqa: PLC0415

    personal = Fact.objects.living().exclude(owner=None)
    for number, fact in enumerate({fact.owner_id: fact for fact in personal}.values()):
        with write_transaction(team) as work:
            asked = hiding.Asked(fact.agent, fact.owner, Request.Via.API)
            found = targets.of_facts(fact.agent, fact.owner, [fact])
            seconds = None if number else 0
            hiding.hide(work, hiding.open_request(work, asked), found.meant, seconds=seconds)
    engine.tick(timezone.now())
    list(engine.run_pending())


if __name__ == "__main__":
    _main()
