from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "memoryweb.accounts"
    label = "accounts"
