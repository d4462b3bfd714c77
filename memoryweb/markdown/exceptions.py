class PathRefused(ValueError):
    """A path that no workspace file may have; the message says why."""

    code = "path_refused"


class SectionRefused(Exception):
    """A heading or key that can't be told apart from another."""
