from django.apps import AppConfig


class ExtractionConfig(AppConfig):
    name = "memoryweb.extraction"
    label = "extraction"
