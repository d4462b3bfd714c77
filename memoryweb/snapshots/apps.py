from django.apps import AppConfig


class SnapshotsConfig(AppConfig):
    name = "memoryweb.snapshots"
    label = "snapshots"
