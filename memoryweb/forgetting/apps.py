from django.apps import AppConfig


class ForgettingConfig(AppConfig):
    name = "memoryweb.forgetting"
