from django.apps import AppConfig


class DreamingConfig(AppConfig):
    name = "memoryweb.dreaming"
    label = "dreaming"

    def ready(self) -> None:
        from memoryweb.dreaming import pipeline, schedule  # noqa: PLC0415  models must be loaded
        from memoryweb.runs import engine  # noqa: PLC0415

        engine.register("dream", pipeline.dream)
        engine.register_tick(schedule.tick)
