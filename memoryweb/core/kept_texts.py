import os
import secrets
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile


def kept_text(path: Path) -> str:
    """Random, made by whoever asks first and readable by its user alone. Whole or not there at all,
    and of two that ask at once the first one's."""
    if not path.exists():
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with NamedTemporaryFile("w", dir=path.parent) as made, suppress(FileExistsError):
            made.write(secrets.token_urlsafe(50))
            made.flush()
            os.link(made.name, path)
    return path.read_text().strip()
