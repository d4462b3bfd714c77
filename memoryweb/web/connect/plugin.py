"""The folder that a coding agent's plugin is, as a ZIP to unpack."""

import io
import zipfile

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

_FOLDER = settings.BASE_DIR / "plugins" / "claude-code"


@require_safe
@login_not_required
def claude_code(request: HttpRequest) -> HttpResponse:
    """Holds nothing of anybody: where memory is, and the token, come from the environment."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(_FOLDER.rglob("*")):
            if path.is_file() and path.suffix in {".json", ".md", ".py"}:
                name = str(path.relative_to(_FOLDER))
                archive.writestr(zipfile.ZipInfo(name), path.read_bytes(), zipfile.ZIP_DEFLATED)
    response = HttpResponse(packed.getvalue(), content_type="application/zip")
    response["Content-Disposition"] = 'attachment; filename="memoryweb-claude-code.zip"'
    return response
