class BatchRefused(ValueError):
    """Messages that can't be taken. `field` says where (`messages[3].role`), `status` why: 400 or
    413 for too much."""

    def __init__(self, field: str, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.field = field
        self.message = message
        self.code = "too_large" if status == 413 else "invalid"
