"""The folders that plugins of other programs are, each as a ZIP to unpack."""

import io
import zipfile

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

_KINDS = {"claude-code", "openclaw"}
_SUFFIXES = {".js", ".json", ".md", ".py"}


@require_safe
@login_not_required
def plugin(request: HttpRequest, kind: str) -> HttpResponse:
    """Holds nothing of anybody: where memory is, and the token, are set where it is unpacked."""
    if kind not in _KINDS:
        raise Http404
    folder = settings.BASE_DIR / "plugins" / kind
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and path.suffix in _SUFFIXES:
                info = zipfile.ZipInfo(str(path.relative_to(folder)))
                archive.writestr(info, path.read_bytes(), zipfile.ZIP_DEFLATED)
    response = HttpResponse(packed.getvalue(), content_type="application/zip")
    response["Content-Disposition"] = f'attachment; filename="memoryweb-{kind}.zip"'
    return response
