from django.apps import AppConfig


class LlmConfig(AppConfig):
    name = "memoryweb.llm"
    label = "llm"
