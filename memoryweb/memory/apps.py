from django.apps import AppConfig
from django.core import checks
from django.db.models.signals import post_migrate


class MemoryConfig(AppConfig):
    name = "memoryweb.memory"

    def ready(self) -> None:
        # Models must be loaded.
        from memoryweb.memory import agents, questions, vectors  # noqa: PLC0415
        from memoryweb.memory.forgetting import erasing, retention  # noqa: PLC0415
        from memoryweb.memory.index import fulltext, reindexing  # noqa: PLC0415
        from memoryweb.memory.review import inbox, proposals, rescan  # noqa: PLC0415
        from memoryweb.memory.snapshots import service  # noqa: PLC0415
        from memoryweb.memory.statements import repair  # noqa: PLC0415
        from memoryweb.memory.tools import facts  # noqa: PLC0415
        from memoryweb.runs import engine  # noqa: PLC0415

        engine.register(rescan.KIND, rescan.scan)
        engine.register(erasing.KIND, erasing.erase)
        engine.register(service.CONVERSATIONS, service.bring_conversations)
        engine.register(facts.KIND, facts.write_all)
        engine.register(vectors.KIND, vectors.make)
        engine.register_tick(vectors.queue_due)
        engine.register_tick(erasing.queue_due)
        engine.register_tick(retention.expire)
        engine.register_tick(retention.measure)
        engine.register_tick(agents.remove_expired)
        engine.register_tick(proposals.expire)
        engine.register_tick(questions.expire)
        engine.register_tick(service.purge, cleans=True)
        # In this order: the index follows the passages that are made anew.
        post_migrate.connect(fulltext.create, sender=self)
        post_migrate.connect(reindexing.refresh_stale, sender=self)
        post_migrate.connect(repair.project_older, sender=self)
        post_migrate.connect(inbox.fill_missing, sender=self)
        checks.register(fulltext.check, checks.Tags.database)
