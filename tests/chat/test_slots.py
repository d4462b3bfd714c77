"""Few chats compute at once; those that wait for a model or a reader keep none away."""

from threading import Event, Thread

import pytest
from django.conf import settings
from django.db import connection

from memoryweb.core import slots
from tests.waiting import SECONDS


@pytest.mark.django_db(transaction=True)
def test_who_waits_for_another_leaves_its_place_to_who_computes() -> None:
    answered, done = Event(), []

    def chat() -> None:
        with slots.taken():
            with slots.left():
                assert answered.wait(SECONDS)
            done.append("chat")

    waiting = [Thread(target=chat) for _place in range(settings.WEB_THREADS)]
    for thread in waiting:
        thread.start()
    with slots.taken():
        done.append("another")
    answered.set()
    for thread in waiting:
        thread.join(SECONDS)
    assert done == ["another", *["chat"] * settings.WEB_THREADS]


@pytest.mark.django_db(transaction=True)
def test_a_place_comes_back_from_a_chat_that_breaks_off() -> None:
    for _chat in range(settings.WEB_THREADS + 1):
        with pytest.raises(ConnectionError), slots.taken(), slots.left():
            raise ConnectionError
    with slots.taken():
        pass


@pytest.mark.django_db
def test_within_a_transaction_the_connection_stays() -> None:
    connection.ensure_connection()
    with slots.taken(), slots.left():
        assert connection.connection is not None
