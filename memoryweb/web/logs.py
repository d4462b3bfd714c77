"""What the log may say of a request: addresses hold the names of people's files."""

import logging

from django.http import HttpRequest


class WithoutAddresses(logging.Filter):
    """The pattern of the address (`t/<slug:team>/…`) instead of the address itself."""

    def filter(self, record: logging.LogRecord) -> bool:
        request = getattr(record, "request", None)
        if isinstance(request, HttpRequest) and isinstance(record.args, tuple):
            match = request.resolver_match
            where = f"/{match.route}" if match else "an unknown address"
            record.args = tuple(where if arg == request.path else arg for arg in record.args)
        return True
