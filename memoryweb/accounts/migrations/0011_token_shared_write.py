from django.db import migrations, models

import memoryweb.fields


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0010_theme"),
    ]

    operations = [
        migrations.AddField(
            model_name="token",
            name="shared_write_reason",
            field=memoryweb.fields.PlainCharField(blank=True, max_length=300),
        ),
        migrations.AddField(
            model_name="token",
            name="wrote_shared",
            field=models.BooleanField(
                default=False,
                help_text="without a grant, until that was asked for; nobody decided yet",
            ),
        ),
    ]
