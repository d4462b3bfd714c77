class ArchiveRefused(ValueError):
    """A ZIP archive that is not read; `code` is stable, the message says what is wrong."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
