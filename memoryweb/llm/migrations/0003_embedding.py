
from django.db import migrations, models

import memoryweb.core.tables


class Migration(migrations.Migration):

    dependencies = [
        ('llm', '0002_requests'),
    ]

    operations = [
        migrations.CreateModel(
            name='TeamEmbedding',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('team_id', models.UUIDField(unique=True)),
                ('choice', models.CharField(choices=[('none', 'No model: rules do the work'), ('installation', "The installation's model"), ('own', "The team's own model")], default='installation', max_length=12)),
                ('base_url', memoryweb.core.tables.PlainCharField(blank=True, help_text='empty: no model of its own', max_length=255)),
                ('model', memoryweb.core.tables.PlainCharField(blank=True, max_length=120)),
                ('sealed_key', models.BinaryField(default=bytes, help_text='encrypted; empty: none')),
                ('made_for', memoryweb.core.tables.PlainCharField(blank=True, help_text='hash of address and model', max_length=64)),
                ('dimension', models.IntegerField(help_text='of all its vectors; null: none yet', null=True)),
                ('looked_at', models.BigIntegerField(default=0, help_text='passages up to here have their runs')),
            ],
            options={
                'abstract': False,
            },
        ),
    ]
