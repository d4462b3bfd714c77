from django.db import migrations


def forget_further_addresses(apps, schema_editor):
    """They were added by whoever liked to, unproven, and signed people in."""
    alias = schema_editor.connection.alias
    apps.get_model("account", "EmailAddress").objects.using(alias).all().delete()


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0003_invitation"),
        ("account", "0009_emailaddress_unique_primary_email"),
    ]

    operations = [migrations.RunPython(forget_further_addresses, migrations.RunPython.noop)]
