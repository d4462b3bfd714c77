from django.apps import AppConfig


class CommandsConfig(AppConfig):
    name = "memoryweb.commands"
    label = "commands"
