"""Calls a worker to send what is due. A lost or a second call does no harm."""

from django.conf import settings
from django.db import transaction
from django_q.tasks import async_task

SEND = "memoryweb.webhooks.sending.send_due"


def call() -> None:
    """With the transaction: the database as broker rolls back with it, Redis waits for it."""
    if "orm" in settings.Q_CLUSTER:
        _send()
    else:
        transaction.on_commit(_send, robust=True)


def _send() -> None:
    async_task(SEND, save=False, group="webhooks")
