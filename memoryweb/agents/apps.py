from django.apps import AppConfig


class AgentsConfig(AppConfig):
    name = "memoryweb.agents"
    label = "agents"
