from django.apps import AppConfig


class ProvenanceConfig(AppConfig):
    name = "memoryweb.provenance"
    label = "provenance"
