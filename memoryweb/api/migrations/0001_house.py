import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

import memoryweb.core.tables


class Migration(migrations.Migration):

    initial = True

    replaces = [
        ("api", "0001_idempotency"),
        ("api", "0002_calls"),
    ]

    dependencies = [
        ('accounts', '0001_house'),
    ]

    operations = [
        migrations.CreateModel(
            name='Call',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField()),
                ('method', memoryweb.core.tables.PlainCharField(max_length=8)),
                ('route', memoryweb.core.tables.PlainCharField(max_length=200)),
                ('status', models.IntegerField()),
                ('code', memoryweb.core.tables.PlainCharField(blank=True, help_text='of an error', max_length=40)),
                ('times', models.IntegerField(default=1)),
                ('team', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.team')),
                ('token', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='calls', to='accounts.token')),
            ],
            options={
                'indexes': [models.Index(fields=['token', '-at'], name='api_call_token'), models.Index(fields=['at'], name='api_call_age'), models.Index(fields=['team'], name='api_call_team')],
            },
        ),
        migrations.CreateModel(
            name='Idempotency',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', memoryweb.core.tables.PlainCharField(max_length=255)),
                ('fingerprint', memoryweb.core.tables.PlainCharField(help_text='SHA-256 of address, rights and body', max_length=64)),
                ('status', models.IntegerField(default=0)),
                ('body', memoryweb.core.tables.ErasableTextField(blank=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('team', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.team')),
                ('token', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='idempotency', to='accounts.token')),
            ],
            options={
                'indexes': [models.Index(fields=['created_at'], name='api_idempotency_age')],
                'constraints': [models.UniqueConstraint(fields=('token', 'key'), name='api_idempotency_once')],
            },
        ),
    ]
