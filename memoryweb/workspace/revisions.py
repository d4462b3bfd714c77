"""Reading a file's past."""

from memoryweb.workspace.models import File, Revision


def content_of(file: File, number: int) -> str:
    """The whole content at a revision. Raises Revision.DoesNotExist."""
    if number == file.revision:
        return file.content
    revision = Revision.objects.get(file=file, number=number)
    if not revision.is_delta:
        return revision.text
    parts = Revision.objects.filter(
        file=file, number__gte=revision.base, number__lte=number
    ).order_by("number")
    return "".join(parts.values_list("text", flat=True))
