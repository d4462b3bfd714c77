from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0007_how_long_things_are_kept"),
    ]

    operations = [
        migrations.AddField(
            model_name="user",
            name="letter_keys_off",
            field=models.BooleanField(default=False, help_text="letters press no buttons"),
        ),
    ]
