from django.apps import AppConfig
from django.core import checks
from django.db.models.signals import post_migrate

from memoryweb.search import index


class RecallConfig(AppConfig):
    name = "memoryweb.search"
    label = "recall"

    def ready(self) -> None:
        post_migrate.connect(index.create, sender=self)
        checks.register(index.check, checks.Tags.database)
