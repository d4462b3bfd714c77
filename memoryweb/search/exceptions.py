from memoryweb.exceptions import MemoryRefused


class SearchRefused(MemoryRefused):
    """A search that can't be answered: `bad_date`, `bad_owner` or `bad_cursor`."""

    def __init__(self, code: str, sentence: str) -> None:
        self.code = code
        super().__init__(sentence)
