class PathRefused(ValueError):
    """A path that no workspace file may have; the message says why."""


class SectionRefused(Exception):
    """A heading or key that can't be told apart from another."""
