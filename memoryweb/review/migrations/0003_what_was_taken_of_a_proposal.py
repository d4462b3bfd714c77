from django.db import migrations

import memoryweb.fields


class Migration(migrations.Migration):
    dependencies = [("review", "0002_a_file_is_crowded")]

    operations = [
        migrations.AddField(
            model_name="proposal",
            name="taken",
            field=memoryweb.fields.PlainJSONField(
                default=dict,
                help_text="of an accepted one: revisions {before, after}, and numbers of lines "
                "that stayed out {left_out} and that stayed {kept}",
            ),
        ),
    ]
