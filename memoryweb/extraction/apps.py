from django.apps import AppConfig


class ExtractionConfig(AppConfig):
    name = "memoryweb.extraction"
    label = "extraction"

    def ready(self) -> None:
        from memoryweb.extraction import (  # noqa: PLC0415  models must be loaded
            journal,
            pipeline,
            requests,
        )
        from memoryweb.runs import engine  # noqa: PLC0415

        engine.register("extraction", pipeline.extract)
        engine.register("journal", journal.journal)
        engine.register_tick(requests.ask_again)
        engine.follow("import", requests.after_import)
        engine.precede("dream", requests.before_dream)
        engine.follow("extraction", requests.go_on)
