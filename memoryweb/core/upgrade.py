"""What comes before a database is migrated: whether this version can do it, and a copy of it."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.db import DatabaseError, connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

OLDER = (
    "This database is of a version before 0.2.0. Start version 0.2.0 on it first, then this one."
)
BETWEEN = (
    "This database is of a commit between two versions, or of a later version, and this one can't"
    " upgrade it. Restore a backup that version 0.2.0 or this one has made."
)

UNPREPARED = "This database is not prepared for this version. Run “manage.py migrate” first."


def refusal() -> str:
    """Why this version can't migrate the database; empty where it can.

    An app's `0001_house` stands for all of its migrations up to 0.2.0. Django takes part of them
    for none, and would make tables that are there.
    """
    try:
        applied = set(MigrationRecorder(connection).applied_migrations())
    except DatabaseError:
        return ""  # it does not answer: that has sentences of its own
    loader = MigrationLoader(None, load=False)
    loader.load_disk()
    houses = [known for known in loader.disk_migrations.values() if known.name == "0001_house"]
    stands_for = [set(house.replaces) for house in houses]
    # Each by itself: a first start that was cut short has some of them, and goes on.
    if any(0 < len(names & applied) < len(names) for names in stands_for):
        return OLDER
    replaced = set().union(*stands_for)
    ours = {app for app, _name in replaced} | {house.app_label for house in houses}
    strange = applied - replaced - loader.disk_migrations.keys()
    return BETWEEN if any(app in ours for app, _name in strange) else ""


class Executor(MigrationExecutor):
    """What a migration makes, and the record of all that it stands for, come in one transaction.
    Cut short in between, it could not be repeated, or would be taken for an older version's."""

    def apply_migration(
        self, state: Any, migration: Any, fake: bool = False, fake_initial: bool = False
    ) -> Any:
        if not migration.atomic:
            return super().apply_migration(state, migration, fake, fake_initial)
        # SQLite's tables are made with its checks off, which is decided before a transaction.
        with self.connection.constraint_checks_disabled(), transaction.atomic():
            return super().apply_migration(state, migration, fake, fake_initial)


def keep_copy() -> Path | None:
    """Beside a SQLite database that is about to be migrated; None where there is nothing to keep.
    Raises DatabaseError, and then there is no copy."""
    if connection.vendor != "sqlite" or not _is_pending():
        return None
    here = Path(connection.settings_dict["NAME"])
    at = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    copy = here.with_name(f"{here.stem}-before-upgrade-{at}{here.suffix}")
    try:
        with connection.cursor() as cursor:
            cursor.execute("VACUUM INTO %s", [str(copy)])
    except BaseException:
        copy.unlink(missing_ok=True)
        raise
    return copy


def unprepared() -> str:
    """Why no command can work on it yet; empty where it may."""
    try:
        return UNPREPARED if _plan(MigrationExecutor(connection)) else ""
    except DatabaseError:
        return ""


def _is_pending() -> bool:
    executor = MigrationExecutor(connection)
    return bool(_plan(executor) and executor.loader.applied_migrations)


def _plan(executor: MigrationExecutor) -> list[Any]:
    return list(executor.migration_plan(executor.loader.graph.leaf_nodes()))
