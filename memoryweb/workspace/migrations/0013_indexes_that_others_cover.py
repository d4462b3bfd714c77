import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from memoryweb.indexes import WithoutIndex


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0005_shared_write_reason"),
        ("conversations", "0006_indexes_that_others_cover"),
        ("runs", "0008_indexes_that_others_cover"),
        ("workspace", "0012_writers_index"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name="lineorigin",
            name="workspace_origin_message",
        ),
        migrations.RemoveIndex(
            model_name="lineorigin",
            name="workspace_origin_source",
        ),
        migrations.RemoveIndex(
            model_name="revision",
            name="workspace_revision_run",
        ),
        migrations.RemoveIndex(
            model_name="revision",
            name="workspace_revision_token",
        ),
        migrations.RemoveIndex(
            model_name="revision",
            name="workspace_revision_when",
        ),
        WithoutIndex(
            model_name="file",
            name="team",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="accounts.team",
            ),
        ),
        WithoutIndex(
            model_name="lineorigin",
            name="file",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="origins",
                to="workspace.file",
            ),
        ),
        WithoutIndex(
            model_name="lineorigin",
            name="source_file",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="workspace.file",
            ),
        ),
        WithoutIndex(
            model_name="lineorigin",
            name="team",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="accounts.team",
            ),
        ),
        WithoutIndex(
            model_name="pastorigin",
            name="file",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="past_origins",
                to="workspace.file",
            ),
        ),
        WithoutIndex(
            model_name="revision",
            name="file",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="revisions",
                to="workspace.file",
            ),
        ),
        WithoutIndex(
            model_name="revision",
            name="team",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="accounts.team",
            ),
        ),
        WithoutIndex(
            model_name="revision",
            name="user",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddIndex(
            model_name="lineorigin",
            index=models.Index(
                condition=models.Q(("source_file__isnull", False)),
                fields=["source_file", "source_line"],
                name="workspace_origin_from",
            ),
        ),
    ]
