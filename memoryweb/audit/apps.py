from django.apps import AppConfig
from django.core import checks
from django.db.models.signals import post_migrate

from memoryweb.audit.triggers import check_triggers, create_triggers


class AuditConfig(AppConfig):
    name = "memoryweb.audit"

    def ready(self) -> None:
        from memoryweb.audit.checkpoints import establish  # noqa: PLC0415 - it imports models

        post_migrate.connect(create_triggers, sender=self)
        post_migrate.connect(establish, sender=self)
        checks.register(check_triggers, checks.Tags.database)
