import uuid

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

import memoryweb.core.tables


def create_system_team(apps, schema_editor):
    teams = apps.get_model("accounts", "Team").objects.using(schema_editor.connection.alias)
    teams.get_or_create(is_system=True, defaults={"name": "System", "slug": "system"})


class Migration(migrations.Migration):

    initial = True

    replaces = [
        ("accounts", "0001_initial"),
        ("accounts", "0002_system_team"),
        ("accounts", "0003_invitation"),
        ("accounts", "0004_one_address_a_person"),
        ("accounts", "0005_shared_write_reason"),
        ("accounts", "0006_token_acts_as_person"),
        ("accounts", "0007_how_long_things_are_kept"),
        ("accounts", "0008_letter_keys_off"),
        ("accounts", "0009_language"),
        ("accounts", "0010_theme"),
        ("accounts", "0011_token_shared_write"),
        ("accounts", "0012_tokens_that_wrote_shared"),
    ]

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
    ]

    operations = [
        migrations.CreateModel(
            name='User',
            fields=[
                ('password', models.CharField(max_length=128, verbose_name='password')),
                ('last_login', models.DateTimeField(blank=True, null=True, verbose_name='last login')),
                ('is_superuser', models.BooleanField(default=False, help_text='Designates that this user has all permissions without explicitly assigning them.', verbose_name='superuser status')),
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('email', models.EmailField(max_length=254, unique=True, verbose_name='e-mail address')),
                ('name', models.CharField(blank=True, max_length=120, verbose_name='name')),
                ('time_zone', models.CharField(default='UTC', max_length=64, verbose_name='time zone')),
                ('language', models.CharField(blank=True, default='', help_text="empty: the browser's", max_length=8)),
                ('theme', models.CharField(blank=True, choices=[('', 'As on this device'), ('light', 'Light'), ('dark', 'Dark')], default='', help_text="empty: the device's", max_length=8)),
                ('letter_keys_off', models.BooleanField(default=False, help_text='letters press no buttons')),
                ('is_active', models.BooleanField(default=True)),
                ('date_joined', models.DateTimeField(default=django.utils.timezone.now)),
                ('groups', models.ManyToManyField(blank=True, help_text='The groups this user belongs to. A user will get all permissions granted to each of their groups.', related_name='user_set', related_query_name='user', to='auth.group', verbose_name='groups')),
                ('user_permissions', models.ManyToManyField(blank=True, help_text='Specific permissions for this user.', related_name='user_set', related_query_name='user', to='auth.permission', verbose_name='user permissions')),
            ],
            options={
                'abstract': False,
            },
        ),
        migrations.CreateModel(
            name='Team',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('name', models.CharField(max_length=120, verbose_name='name')),
                ('slug', models.SlugField(unique=True)),
                ('is_system', models.BooleanField(default=False)),
                ('is_demo', models.BooleanField(default=False)),
                ('daily_tokens', models.BigIntegerField(blank=True, null=True)),
                ('messages_days', models.IntegerField(help_text='null: kept until they are deleted', null=True)),
                ('owners_days', models.IntegerField(help_text='the same of people who are silent', null=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                'constraints': [models.UniqueConstraint(condition=models.Q(('is_system', True)), fields=('is_system',), name='accounts_one_system_team')],
            },
        ),
        migrations.CreateModel(
            name='Integration',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('name', memoryweb.core.tables.PlainCharField(max_length=64, verbose_name='name')),
                ('channels', memoryweb.core.tables.PlainJSONField(blank=True, default=list, help_text='allowed channels; empty: none')),
                ('agents', memoryweb.core.tables.PlainJSONField(blank=True, default=list, help_text='allowed agent ids; empty: all')),
                ('scopes', memoryweb.core.tables.PlainJSONField(default=list)),
                ('personal_read_reason', memoryweb.core.tables.PlainCharField(blank=True, max_length=300)),
                ('shared_write_reason', memoryweb.core.tables.PlainCharField(blank=True, max_length=300)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('team', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='integrations', to='accounts.team')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('team', 'name'), name='accounts_integration_name')],
            },
        ),
        migrations.CreateModel(
            name='Membership',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('role', models.CharField(choices=[('viewer', 'Viewer'), ('member', 'Member'), ('admin', 'Admin'), ('auditor', 'Auditor')], max_length=16, verbose_name='role')),
                ('ends_at', models.DateTimeField(blank=True, null=True, verbose_name='ends')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to=settings.AUTH_USER_MODEL)),
                ('team', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to='accounts.team')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('team', 'user'), name='accounts_membership_once')],
            },
        ),
        migrations.CreateModel(
            name='Invitation',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('email', memoryweb.core.tables.ErasableCharField(max_length=254, verbose_name='e-mail address')),
                ('role', models.CharField(choices=[('viewer', 'Viewer'), ('member', 'Member'), ('admin', 'Admin'), ('auditor', 'Auditor')], max_length=16, verbose_name='role')),
                ('ends_at', models.DateTimeField(blank=True, null=True, verbose_name='membership ends')),
                ('sha256', memoryweb.core.tables.PlainCharField(max_length=64, unique=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('expires_at', models.DateTimeField()),
                ('accepted_at', models.DateTimeField(null=True)),
                ('revoked_at', models.DateTimeField(null=True)),
                ('invited_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('team', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='invitations', to='accounts.team')),
            ],
            options={
                'indexes': [models.Index(fields=['team', '-created_at'], name='accounts_invitation_team')],
            },
        ),
        migrations.CreateModel(
            name='Token',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('name', memoryweb.core.tables.PlainCharField(max_length=64, verbose_name='name')),
                ('sha256', memoryweb.core.tables.PlainCharField(max_length=64, unique=True)),
                ('prefix', memoryweb.core.tables.PlainCharField(max_length=8)),
                ('last4', memoryweb.core.tables.PlainCharField(max_length=4)),
                ('scopes', memoryweb.core.tables.PlainJSONField(default=list)),
                ('act_as_person', models.BooleanField(default=False, help_text="what it writes is its person's own word, not an agent's")),
                ('shared_write_reason', memoryweb.core.tables.PlainCharField(blank=True, max_length=300)),
                ('wrote_shared', models.BooleanField(default=False, help_text='without a grant, until that was asked for; nobody decided yet')),
                ('expires_at', models.DateTimeField()),
                ('last_used_at', models.DateTimeField(null=True)),
                ('revoked_at', models.DateTimeField(null=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('integration', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='tokens', to='accounts.integration')),
                ('team', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='tokens', to='accounts.team')),
                ('user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='tokens', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'indexes': [models.Index(fields=['team', '-created_at'], name='accounts_token_team')],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('integration__isnull', True), ('user__isnull', False)), models.Q(('integration__isnull', False), ('user__isnull', True)), _connector='OR'), name='accounts_token_one_holder')],
            },
        ),
        migrations.RunPython(create_system_team, migrations.RunPython.noop),
    ]
