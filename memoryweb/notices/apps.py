from django.apps import AppConfig


class NoticesConfig(AppConfig):
    name = "memoryweb.notices"

    def ready(self) -> None:
        from memoryweb.notices import sending  # noqa: PLC0415  models must be loaded
        from memoryweb.runs import engine  # noqa: PLC0415

        engine.register_tick(sending.tick)
