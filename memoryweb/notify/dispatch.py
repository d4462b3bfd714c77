"""Calls a worker to send what is due. A lost or a second call does no harm."""

from django_q.tasks import async_task

SEND = "memoryweb.notify.sending.send_due"


def call() -> None:
    """With the transaction: the database is the broker and rolls back with it."""
    async_task(SEND, save=False, group="webhooks")
