from collections import Counter

import pytest

CASES = 2


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of a story that is told in several ways the gate lives the first two, `make soak` all."""
    lived = Counter[object]()
    for item in items:
        if item.path.parent.name != "stories" or item.get_closest_marker("slow"):
            continue
        lived[story := getattr(item, "function", item)] += 1
        if lived[story] > CASES:
            item.add_marker(pytest.mark.slow)
