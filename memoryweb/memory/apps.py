from django.apps import AppConfig


class MemoryConfig(AppConfig):
    name = "memoryweb.memory"
    label = "memory"
