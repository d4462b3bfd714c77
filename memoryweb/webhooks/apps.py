from django.apps import AppConfig


class WebhooksConfig(AppConfig):
    name = "memoryweb.webhooks"

    def ready(self) -> None:
        from memoryweb.runs import engine  # noqa: PLC0415  models must be loaded
        from memoryweb.webhooks import outbox  # noqa: PLC0415

        engine.register_tick(outbox.tell)
        engine.register_tick(outbox.forget)
