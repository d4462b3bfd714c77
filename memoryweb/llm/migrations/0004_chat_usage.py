from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("llm", "0003_money_of_the_day"),
    ]

    operations = [
        migrations.CreateModel(
            name="ChatUsage",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("team_id", models.UUIDField()),
                ("agent_id", models.UUIDField()),
                ("day", models.DateField()),
                ("asked", models.IntegerField(default=0)),
                ("used_in", models.BigIntegerField(default=0)),
                ("used_out", models.BigIntegerField(default=0)),
                ("cost_micros", models.BigIntegerField(default=0)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("team_id", "agent_id", "day"), name="llm_chat_usage_day"
                    )
                ],
            },
        ),
    ]
