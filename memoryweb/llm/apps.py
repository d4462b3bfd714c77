from importlib import import_module

from django.apps import AppConfig


class LlmConfig(AppConfig):
    name = "memoryweb.llm"
    label = "llm"

    def ready(self) -> None:
        import_module("memoryweb.llm.checks")
