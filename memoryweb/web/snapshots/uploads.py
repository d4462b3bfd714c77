"""How files come in: an archive that is too large is not kept to find that out."""

from uuid import UUID

from django.core.files.uploadhandler import TemporaryFileUploadHandler
from django.shortcuts import get_object_or_404

from memoryweb.agents.models import Agent
from memoryweb.memory.models import Upload
from memoryweb.memory.snapshots import MAX_UPLOAD
from memoryweb.web.access import TeamRequest


class CappedUploadHandler(TemporaryFileUploadHandler):
    """Keeps a byte more than an archive may have; the file still tells its true size."""

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        room = MAX_UPLOAD + 1 - start
        if room > 0:
            super().receive_data_chunk(raw_data[:room], start)


def find_upload(request: TeamRequest, agent: Agent, upload_id: UUID) -> Upload:
    """The person's own archive, for the hour that it is kept."""
    waiting = agent.uploads.filter(user=request.user, expires_at__gt=request.visit.now)
    own = waiting.filter(request.visit.own_or_shared()).select_related("agent", "owner")
    return get_object_or_404(own, pk=upload_id)
