from django.apps import AppConfig


class ConversationsConfig(AppConfig):
    name = "memoryweb.conversations"
    label = "conversations"
