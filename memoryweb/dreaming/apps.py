from django.apps import AppConfig


class DreamingConfig(AppConfig):
    name = "memoryweb.dreaming"
    label = "dreaming"
