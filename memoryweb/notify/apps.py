from django.apps import AppConfig


class NotifyConfig(AppConfig):
    name = "memoryweb.notify"

    def ready(self) -> None:
        from memoryweb.notify import mail_sending, sending  # noqa: PLC0415  models must be loaded
        from memoryweb.runs import engine  # noqa: PLC0415

        engine.register_tick(mail_sending.tick)
        engine.register_tick(sending.tell)
        engine.register_tick(sending.forget)
