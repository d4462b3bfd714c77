class PathRefused(ValueError):
    """A path that no workspace file may have; the message says why."""
