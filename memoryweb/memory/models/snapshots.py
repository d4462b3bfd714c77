import uuid

from django.db import models

from memoryweb.core.tenancy import TeamManager


class Upload(models.Model):
    """An archive between its preview and its import: the one that a person has under way.

    It is gone after an hour, after the import, and with the next upload. What is forgotten
    meanwhile is turned away when the archive is read, as from any other.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    team = models.ForeignKey("accounts.Team", models.CASCADE, related_name="+")
    agent = models.ForeignKey("agents.Agent", models.CASCADE, related_name="uploads")
    owner = models.ForeignKey("agents.Owner", models.CASCADE, null=True, related_name="+")
    user = models.ForeignKey("accounts.User", models.CASCADE, related_name="+")
    archive = models.BinaryField()
    expires_at = models.DateTimeField()

    objects = TeamManager()

    class Meta:
        db_table = "workspace_upload"
        constraints = [
            models.UniqueConstraint(fields=["team", "user"], name="workspace_upload_one")
        ]
        indexes = [models.Index(fields=["expires_at"], name="workspace_upload_age")]

    def __str__(self) -> str:
        return f"upload {self.pk}"
