from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import migrate

from memoryweb.audit import keys
from memoryweb.core import upgrade

migrate.MigrationExecutor = upgrade.Executor  # type: ignore[attr-defined]


class Command(migrate.Command):
    """Django's. It makes the triggers and the search index that our checks of a database ask for,
    so those can't come first: they would turn away a database that is older than the index, and
    one whose first start was cut short."""

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            keys.check()
        except keys.KeysRefused as refusal:
            raise CommandError(str(refusal)) from None
        if said := upgrade.refusal():
            raise CommandError(said)
        super().handle(*args, **options)

    def get_check_kwargs(self, options: dict[str, Any]) -> Any:
        return super().get_check_kwargs(options) | {"databases": []}
