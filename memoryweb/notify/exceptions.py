class UrlRefused(ValueError):
    """An address that no webhook is sent to; the message says why."""
