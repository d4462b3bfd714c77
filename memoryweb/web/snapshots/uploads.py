"""How files come in: an archive that is too large is not kept to find that out."""

from django.core.files.uploadhandler import TemporaryFileUploadHandler

from memoryweb.snapshots.zip_structure import MAX_UPLOAD


class CappedUploadHandler(TemporaryFileUploadHandler):
    """Keeps a byte more than an archive may have; the file still tells its true size."""

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        room = MAX_UPLOAD + 1 - start
        if room > 0:
            super().receive_data_chunk(raw_data[:room], start)
