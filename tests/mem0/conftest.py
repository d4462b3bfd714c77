from tests.api.conftest import built, callers, world

__all__ = ["built", "callers", "world"]
