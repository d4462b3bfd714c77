"""The year of a month and day that were said without one."""

from datetime import date


def year_of(month: int, day: int, today: date, ahead: bool | None) -> int:
    """`ahead` True: today or later; False: today or earlier; None: the nearest. Day 0: no day."""
    that, this = (month, day), (today.month, today.day if day else 0)
    if ahead:
        return today.year + (that < this)
    if ahead is False:
        return today.year - (that > this)
    away = (month - today.month) * 31 + (day - today.day if day else 0)
    return today.year + (1 if away < -186 else -1 if away > 186 else 0)
