"""What an address asks for, where a form would say too much."""

from django.http import HttpRequest


def number_of(request: HttpRequest, name: str, default: int) -> int:
    """A plain number; anything else is the default."""
    return next(iter(numbers_of(request, name)), default)


def numbers_of(request: HttpRequest, name: str) -> list[int]:
    texts = request.GET.getlist(name)
    return [int(text) for text in texts if text.isascii() and text.isdigit() and len(text) < 9]
