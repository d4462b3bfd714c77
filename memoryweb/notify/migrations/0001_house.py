import uuid

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

import memoryweb.core.tables


class Migration(migrations.Migration):

    initial = True

    replaces = [
        ("notices", "0001_mail_notice"),
        ("webhooks", "0001_initial"),
        ("webhooks", "0002_key_number"),
    ]

    dependencies = [
        ('accounts', '0001_house'),
    ]

    operations = [
        migrations.CreateModel(
            name='MailNotice',
            fields=[
                ('user', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='mail_notice', serialize=False, to=settings.AUTH_USER_MODEL)),
                ('learned', models.BooleanField(default=False)),
                ('waits', models.BooleanField(default=False)),
                ('failed', models.BooleanField(default=False)),
                ('site', memoryweb.core.tables.PlainCharField(help_text='where it was chosen, for the links of a mail', max_length=200)),
                ('language', memoryweb.core.tables.PlainCharField(blank=True, help_text='that it was chosen in', max_length=8)),
                ('told_until', models.DateTimeField(help_text='what happened before is not told any more')),
                ('due_at', models.DateTimeField(db_index=True, help_text='null: never', null=True)),
                ('attempts', models.IntegerField(default=0, help_text="of today's mail")),
                ('sent_at', models.DateTimeField(null=True)),
                ('error', memoryweb.core.tables.PlainCharField(blank=True, help_text='a code, of the last attempt', max_length=32)),
            ],
            options={
                'db_table': 'notices_mailnotice',
            },
        ),
        migrations.CreateModel(
            name='Endpoint',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('url', memoryweb.core.tables.PlainCharField(max_length=500)),
                ('events', memoryweb.core.tables.PlainJSONField(default=list, help_text='the types that it is told')),
                ('generation', models.IntegerField(default=1)),
                ('key_number', models.IntegerField(default=0, help_text="which of the installation's secret keys")),
                ('is_on', models.BooleanField(default=True)),
                ('reason', memoryweb.core.tables.PlainCharField(blank=True, help_text='why it was turned off by itself', max_length=32)),
                ('seen', models.BigIntegerField(default=0, help_text='the last event of the chain looked at')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('team', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='webhooks', to='accounts.team')),
            ],
            options={
                'db_table': 'webhooks_endpoint',
            },
        ),
        migrations.CreateModel(
            name='Delivery',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('type', memoryweb.core.tables.PlainCharField(max_length=32)),
                ('body', memoryweb.core.tables.PlainTextField()),
                ('state', models.CharField(choices=[('waiting', 'Waiting'), ('delivered', 'Delivered'), ('failed', 'Failed')], default='waiting', max_length=9)),
                ('attempts', models.IntegerField(default=0)),
                ('due_at', models.DateTimeField(help_text='not before; null once it is over', null=True)),
                ('status', models.IntegerField(help_text='of the latest answer', null=True)),
                ('error', memoryweb.core.tables.PlainCharField(blank=True, help_text='a code, where it went wrong', max_length=32)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('finished_at', models.DateTimeField(null=True)),
                ('team', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.team')),
                ('endpoint', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='notify.endpoint')),
            ],
            options={
                'db_table': 'webhooks_delivery',
                'indexes': [models.Index(fields=['endpoint', '-created_at'], name='webhooks_log'), models.Index(condition=models.Q(('due_at__isnull', False)), fields=['due_at'], name='webhooks_due')],
            },
        ),
    ]
