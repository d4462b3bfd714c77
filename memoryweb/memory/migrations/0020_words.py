from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('memory', '0019_unnoted'),
    ]

    operations = [
        migrations.AlterField(
            model_name='fact',
            name='source',
            field=models.CharField(choices=[('person', 'A member of the team'), ('owner', 'The person it is about'), ('agent', 'The agent'), ('import', 'An import'), ('third_party', 'Somebody else'), ('dream', 'The agent, at night'), ('system', 'The system')], default='system', max_length=12),
        ),
        migrations.AlterField(
            model_name='fact',
            name='state',
            field=models.CharField(choices=[('pending', 'Waits for a person'), ('active', 'Current'), ('disputed', 'Contradicted'), ('superseded', 'Replaced'), ('expired', 'Over'), ('retired', 'Ended')], default='active', max_length=10),
        ),
        migrations.AlterField(
            model_name='lineorigin',
            name='author_kind',
            field=models.CharField(choices=[('person', 'Person'), ('agent', 'Agent'), ('extraction', 'Agent, after a conversation'), ('dream', 'Agent, at night'), ('import', 'Import'), ('system', 'System')], max_length=12),
        ),
        migrations.AlterField(
            model_name='revision',
            name='author_kind',
            field=models.CharField(choices=[('person', 'Person'), ('agent', 'Agent'), ('extraction', 'Agent, after a conversation'), ('dream', 'Agent, at night'), ('import', 'Import'), ('system', 'System')], max_length=12),
        ),
        migrations.AlterField(
            model_name='revision',
            name='source',
            field=models.CharField(choices=[('person', 'A member of the team'), ('owner', 'The person it is about'), ('agent', 'The agent'), ('import', 'An import'), ('third_party', 'Somebody else'), ('dream', 'The agent, at night'), ('system', 'The system')], default='system', max_length=12),
        ),
    ]
