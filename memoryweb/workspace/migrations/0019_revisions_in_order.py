import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Q

from memoryweb.indexes import WithoutIndex

# The last revision that is older than the one before it; one of a simulated run is in no order.
FILL = """
UPDATE workspace_file SET ordered_from = COALESCE((
    SELECT MAX(CASE WHEN run.clock IS NULL THEN one.number ELSE one.number + 1 END)
    FROM (
        SELECT number, run_id, created_at, LAG(created_at) OVER (ORDER BY number) AS before
        FROM workspace_revision WHERE file_id = workspace_file.id
    ) AS one
    LEFT JOIN runs_run AS run ON run.id = one.run_id
    WHERE run.clock IS NOT NULL OR one.created_at < one.before
), 1)
"""


class Migration(migrations.Migration):
    dependencies = [("runs", "0013_import_runs"), ("workspace", "0018_import_formats")]

    operations = [
        migrations.AddField(
            model_name="file",
            name="ordered_from",
            field=models.IntegerField(
                db_default=1,
                default=1,
                help_text="no revision from this one on is older than one before it",
            ),
        ),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
        migrations.RemoveIndex(model_name="revision", name="workspace_revision_writer"),
        migrations.AddIndex(
            model_name="revision",
            index=models.Index(
                condition=Q(("user__isnull", False)),
                fields=["user", "file", "number"],
                name="workspace_revision_of_user",
            ),
        ),
        WithoutIndex(
            model_name="revision",
            name="run",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.RESTRICT,
                related_name="revisions",
                to="runs.run",
            ),
        ),
        migrations.AddIndex(
            model_name="revision",
            index=models.Index(
                condition=Q(("run__isnull", False)),
                fields=["run", "file", "number"],
                name="workspace_revision_of_run",
            ),
        ),
        migrations.AddIndex(
            model_name="revision",
            index=models.Index(
                fields=["file", "author_kind", "number"], name="workspace_revision_of_kind"
            ),
        ),
        migrations.AddIndex(
            model_name="revision",
            index=models.Index(
                fields=["file", "created_at", "number"], name="workspace_revision_moment"
            ),
        ),
    ]
