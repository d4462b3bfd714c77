"""What the floors below refuse, told to the person. The block ends where it is refused."""

from collections.abc import Iterator
from contextlib import contextmanager

from django import forms
from django.contrib import messages
from django.http import HttpRequest

from memoryweb.accounts.exceptions import AccountsRefused
from memoryweb.core.exceptions import MemoryRefused

_REFUSED = (AccountsRefused, MemoryRefused)


@contextmanager
def told_in(form: forms.Form, field: str | None = None) -> Iterator[None]:
    """In the form that asked."""
    try:
        yield
    except _REFUSED as refused:
        form.add_error(field, str(refused))


@contextmanager
def told_to(request: HttpRequest) -> Iterator[None]:
    """On the page that comes next."""
    try:
        yield
    except _REFUSED as refused:
        messages.error(request, str(refused))
