from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("workspace", "0011_fill_line_roots")]

    operations = [
        migrations.AddIndex(
            model_name="revision",
            index=models.Index(
                fields=["user", "file"],
                condition=Q(user__isnull=False),
                name="workspace_revision_writer",
            ),
        ),
    ]
