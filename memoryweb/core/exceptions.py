class MemoryRefused(Exception):
    """What a door refuses, with a sentence for whoever asked; `code` is stable."""

    code = "refused"
