from django.apps import AppConfig


class WebConfig(AppConfig):
    name = "memoryweb.web"
    label = "web"
