from django.apps import AppConfig


class AuditConfig(AppConfig):
    name = "memoryweb.audit"
    label = "audit"
