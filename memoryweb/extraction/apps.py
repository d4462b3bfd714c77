from django.apps import AppConfig


class ExtractionConfig(AppConfig):
    name = "memoryweb.extraction"
    label = "extraction"

    def ready(self) -> None:
        from memoryweb.extraction import (  # noqa: PLC0415  models must be loaded
            before_dreams,
            journal,
            pipeline,
            requests,
        )
        from memoryweb.runs import engine  # noqa: PLC0415

        engine.register("extraction", pipeline.extract)
        engine.register("journal", journal.journal)
        engine.register_tick(requests.ask_again)
        engine.follow("import", requests.after_import)
        engine.precede("dream", before_dreams.extractions)
        engine.follow("extraction", before_dreams.go_on)
