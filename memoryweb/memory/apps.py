from django.apps import AppConfig, apps
from django.db.models.signals import post_migrate


class MemoryConfig(AppConfig):
    name = "memoryweb.memory"

    def ready(self) -> None:
        # Models must be loaded.
        from memoryweb.memory import agents, fact_repair, reindexing, rescan, statement_run  # noqa: PLC0415
        from memoryweb.memory.forgetting import erasing, retention  # noqa: PLC0415
        from memoryweb.memory.review import secrets  # noqa: PLC0415
        from memoryweb.memory.snapshot import conversation_run, uploads  # noqa: PLC0415
        from memoryweb.runs import engine  # noqa: PLC0415

        engine.register(rescan.KIND, rescan.scan)
        engine.register(erasing.KIND, erasing.erase)
        engine.register(conversation_run.KIND, conversation_run.bring)
        engine.register(statement_run.KIND, statement_run.write_all)
        engine.register_tick(erasing.queue_due)
        engine.register_tick(retention.expire)
        engine.register_tick(agents.remove_expired)
        engine.register_tick(secrets.expire)
        engine.register_tick(uploads.purge)
        # No models here, so no signal of our own; passages are recall's.
        post_migrate.connect(reindexing.refresh_stale, sender=apps.get_app_config("recall"))
        post_migrate.connect(fact_repair.project_missing, sender=apps.get_app_config("facts"))
