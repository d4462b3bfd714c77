from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('extraction', '0001_house'),
    ]

    operations = [
        migrations.AlterField(
            model_name='extraction',
            name='status',
            field=models.CharField(choices=[('answered', 'Answered'), ('applied', 'Applied'), ('nothing', 'Nothing to note'), ('failed', 'Failed'), ('aside', 'Set aside')], max_length=8),
        ),
    ]
