import django.db.models.deletion
from django.db import migrations, models

import memoryweb.core.tables


class Migration(migrations.Migration):

    initial = True

    replaces = [
        ("audit", "0001_initial"),
        ("audit", "0002_agents_of_events"),
        ("audit", "0003_keys"),
        ("audit", "0004_lost_keys"),
    ]

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='ChainHead',
            fields=[
                ('team_id', models.UUIDField(primary_key=True, serialize=False)),
                ('seq', models.BigIntegerField(default=0)),
                ('hash', models.BinaryField(default=b'\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00', max_length=32)),
                ('checkpoints', models.IntegerField(default=0, help_text='how many were signed')),
                ('seal', models.BinaryField(default=bytes, help_text='keyed hash of all of it', max_length=32)),
            ],
        ),
        migrations.CreateModel(
            name='Keys',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('sealed', models.BinaryField(help_text='the keys before, under the secret key of now')),
                ('lost_at', models.DateTimeField(help_text='the key before was lost: people are told', null=True)),
            ],
        ),
        migrations.CreateModel(
            name='Maintenance',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('allowed', models.BooleanField(default=False)),
            ],
            options={
                'db_table': 'audit_maintenance',
            },
        ),
        migrations.CreateModel(
            name='Event',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('team_id', models.UUIDField()),
                ('seq', models.BigIntegerField()),
                ('at_us', models.BigIntegerField(help_text='UTC, microseconds since 1970')),
                ('action', memoryweb.core.tables.PlainCharField(max_length=64)),
                ('actor_kind', memoryweb.core.tables.PlainCharField(max_length=16)),
                ('actor_id', memoryweb.core.tables.PlainCharField(blank=True, max_length=64)),
                ('actor_role', memoryweb.core.tables.PlainCharField(blank=True, max_length=16)),
                ('token_id', models.UUIDField(null=True)),
                ('on_behalf_of', models.UUIDField(help_text="the owner's id, a pseudonym", null=True)),
                ('target_kind', memoryweb.core.tables.PlainCharField(blank=True, max_length=32)),
                ('target_id', memoryweb.core.tables.PlainCharField(blank=True, max_length=64)),
                ('target_revision', models.IntegerField(null=True)),
                ('before_revision', models.IntegerField(null=True)),
                ('outcome', memoryweb.core.tables.PlainCharField(default='ok', max_length=16)),
                ('reason_code', memoryweb.core.tables.PlainCharField(blank=True, max_length=64)),
                ('run_id', models.UUIDField(null=True)),
                ('agent_id', models.UUIDField(help_text="whose memory it was about, if one agent's", null=True)),
                ('model', memoryweb.core.tables.PlainCharField(blank=True, max_length=120)),
                ('ip', memoryweb.core.tables.PlainCharField(blank=True, max_length=45)),
                ('user_agent', memoryweb.core.tables.PlainCharField(blank=True, max_length=200)),
                ('request_id', memoryweb.core.tables.PlainCharField(blank=True, max_length=64)),
                ('details', memoryweb.core.tables.PlainTextField(blank=True, help_text='JSON of counts and commitments, no text')),
                ('canonical', models.BinaryField()),
                ('previous', models.BinaryField(max_length=32)),
                ('hash', models.BinaryField(max_length=32)),
            ],
            options={
                'indexes': [models.Index(fields=['team_id', 'action', '-seq'], name='audit_event_action'), models.Index(fields=['team_id', 'target_id', '-seq'], name='audit_event_target'), models.Index(fields=['team_id', 'run_id'], name='audit_event_run'), models.Index(fields=['team_id', 'actor_id', '-seq'], name='audit_event_actor'), models.Index(fields=['team_id', 'agent_id', '-seq'], name='audit_event_agent')],
                'constraints': [models.UniqueConstraint(fields=('team_id', 'seq'), name='audit_event_team_seq')],
            },
        ),
        migrations.CreateModel(
            name='Label',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('team_id', models.UUIDField()),
                ('name', memoryweb.core.tables.PlainCharField(max_length=32)),
                ('salt', models.BinaryField(max_length=32, null=True)),
                ('text', memoryweb.core.tables.ErasableTextField(blank=True)),
                ('event', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='labels', to='audit.event')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('event', 'name'), name='audit_label_event_name')],
            },
        ),
    ]
