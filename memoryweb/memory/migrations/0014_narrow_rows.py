import django.db.models.deletion
from django.db import migrations, models

# Django would write the whole tables again, and the search index with them.
_TEAM = "workspace_pastorigin_team_id_427255d0"


class Migration(migrations.Migration):
    dependencies = [("memory", "0013_line_deltas")]

    operations = [
        migrations.SeparateDatabaseAndState(
            [
                *(
                    migrations.RunSQL(f"ALTER TABLE recall_passage DROP COLUMN {name}")
                    for name in ("agent_id", "owner_id", "weight")
                ),
                migrations.RunSQL(f"DROP INDEX IF EXISTS {_TEAM}"),
            ],
            [
                migrations.RemoveField("passage", "agent"),
                migrations.RemoveField("passage", "owner"),
                migrations.RemoveField("passage", "weight"),
                migrations.AlterField(
                    "pastorigin",
                    "team",
                    models.ForeignKey(
                        "accounts.team",
                        django.db.models.deletion.CASCADE,
                        db_index=False,
                        related_name="+",
                    ),
                ),
            ],
        )
    ]
