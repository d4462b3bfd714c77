from django.apps import AppConfig


class MemoryConfig(AppConfig):
    name = "memoryweb.memory"
    label = "memory"

    def ready(self) -> None:
        from memoryweb.memory import agents, uploads  # noqa: PLC0415  models must be loaded
        from memoryweb.runs import engine  # noqa: PLC0415

        engine.register_tick(agents.remove_expired)
        engine.register_tick(uploads.purge)
