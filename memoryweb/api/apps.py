from django.apps import AppConfig


class ApiConfig(AppConfig):
    name = "memoryweb.api"

    def ready(self) -> None:
        from memoryweb.accounts import oauth  # noqa: PLC0415
        from memoryweb.api.models import purge, purge_calls  # noqa: PLC0415  models must be loaded
        from memoryweb.runs import engine  # noqa: PLC0415

        engine.register_tick(purge, cleans=True)
        engine.register_tick(purge_calls, cleans=True)
        engine.register_tick(oauth.purge, cleans=True)
