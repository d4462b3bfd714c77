from django.apps import AppConfig


class DreamingConfig(AppConfig):
    name = "memoryweb.dreaming"
    label = "dreaming"

    def ready(self) -> None:
        from memoryweb.dreaming import (  # noqa: PLC0415  models must be loaded
            backfill,
            pipeline,
            preview,
            reports,
            schedule,
        )
        from memoryweb.memory import freeing, reverting  # noqa: PLC0415
        from memoryweb.runs import engine  # noqa: PLC0415

        engine.register("dream", pipeline.dream)
        engine.register("preview", preview.preview)
        reverting.register("dream", reports.note_revert)
        reverting.register_quotes(reports.untell)
        freeing.register_endings(reports.ended_by)
        engine.follow("extraction", backfill.after_extraction)
        engine.follow("extraction", schedule.after_extraction)
        engine.register_tick(schedule.tick)
        engine.register_tick(reports.expire)
