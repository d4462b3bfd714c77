from django.apps import AppConfig


class RunsConfig(AppConfig):
    name = "memoryweb.runs"
    label = "runs"
