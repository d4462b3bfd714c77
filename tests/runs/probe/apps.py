from django.apps import AppConfig


class ProbeConfig(AppConfig):
    name = "tests.runs.probe"
    label = "probe"

    def ready(self) -> None:
        from memoryweb.runs import engine  # noqa: PLC0415  models must be loaded
        from tests.runs.probe.handler import probe  # noqa: PLC0415

        engine.register("probe", probe)
