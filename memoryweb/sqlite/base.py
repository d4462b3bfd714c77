"""Django's SQLite backend with SQLite's real limit on parameters.

Django assumes 999 (SQLite before 3.32) and splits bulk inserts accordingly, so the number of
statements of a write would grow with its lines. 32 766 is SQLite's own default since 3.32.
"""

from django.db.backends.sqlite3 import base, features


class DatabaseFeatures(features.DatabaseFeatures):
    max_query_params = 32766


class DatabaseWrapper(base.DatabaseWrapper):
    features_class = DatabaseFeatures
