from django.apps import AppConfig


class ExtractionConfig(AppConfig):
    name = "memoryweb.extraction"
    label = "extraction"

    def ready(self) -> None:
        from memoryweb.extraction import pipeline, requests  # noqa: PLC0415  models must be loaded
        from memoryweb.runs import engine  # noqa: PLC0415

        engine.register("extraction", pipeline.extract)
        engine.register_tick(requests.ask_again)
        engine.follow("import", requests.after_import)
