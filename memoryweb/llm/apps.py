from importlib import import_module

from django.apps import AppConfig


class LlmConfig(AppConfig):
    name = "memoryweb.llm"

    def ready(self) -> None:
        import_module("memoryweb.llm.endpoint")
