class PathRefused(ValueError):
    """A path that no workspace file may have; the message says why."""


class ArchiveRefused(ValueError):
    """A ZIP archive that is not read; `code` is stable, the message says what is wrong."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class SectionRefused(Exception):
    """A heading or key that can't be told apart from another."""
