from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("workspace", "0008_revision_conversation")]

    operations = [
        migrations.AddIndex(
            model_name="lineorigin",
            index=models.Index(
                fields=["team"], condition=~Q(marks=""), name="workspace_origin_flagged"
            ),
        ),
    ]
