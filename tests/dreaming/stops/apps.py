from django.apps import AppConfig


class StopsConfig(AppConfig):
    name = "tests.dreaming.stops"
    label = "stops"

    def ready(self) -> None:
        from memoryweb.runs import engine  # noqa: PLC0415  models must be loaded
        from tests.dreaming.stops.handler import dream  # noqa: PLC0415

        engine.register("dream", dream)
