from django.apps import AppConfig


class NotifyConfig(AppConfig):
    name = "memoryweb.notify"

    def ready(self) -> None:
        from memoryweb.notify import morning_mail, webhooks  # noqa: PLC0415  models must be loaded
        from memoryweb.runs import engine  # noqa: PLC0415

        engine.register_tick(morning_mail.tick)
        engine.register_tick(webhooks.tell)
        engine.register_tick(webhooks.forget, cleans=True)
