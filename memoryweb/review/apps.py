from django.apps import AppConfig


class ReviewConfig(AppConfig):
    name = "memoryweb.review"
    label = "review"
