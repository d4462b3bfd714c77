class OutsideTransaction(RuntimeError):
    """An event is part of the change it tells of, so it needs the change's transaction."""


class UnknownAction(ValueError):
    """The catalogue in `audit.actions` is closed."""
