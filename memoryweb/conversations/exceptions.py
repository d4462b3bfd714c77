class BatchRefused(ValueError):
    """Messages that can't be taken. `field` says where (`messages[3].role`), `code` why: `invalid`,
    or `too_large`."""

    def __init__(self, field: str, message: str, code: str = "invalid") -> None:
        super().__init__(message)
        self.field = field
        self.message = message
        self.code = code
