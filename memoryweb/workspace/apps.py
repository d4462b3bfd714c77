from django.apps import AppConfig


class WorkspaceConfig(AppConfig):
    name = "memoryweb.workspace"
    label = "workspace"
