from __future__ import annotations

from wavetank.scheduling.framework.boundedcache import MAX_LARGE, BoundedCache


def filled(size: int, *large: bool) -> BoundedCache[int, str]:
    cache: BoundedCache[int, str] = BoundedCache(size)
    for key, is_large in enumerate(large):
        assert cache.keep(key, f"v{key}", is_large) == f"v{key}"
    return cache


def test_the_oldest_entry_is_dropped_first() -> None:
    assert filled(2, False, True, False) == {1: "v1", 2: "v2"}


def test_of_large_entries_few_are_kept_beside_others() -> None:
    cache = filled(100, False, *[True] * (MAX_LARGE + 2), False)
    assert list(cache) == [0, *range(3, MAX_LARGE + 4)]


def test_large_entries_that_were_dropped_for_others_count_no_longer() -> None:
    cache = filled(MAX_LARGE, *[True] * MAX_LARGE, *[False] * MAX_LARGE)
    for key in range(100, 100 + MAX_LARGE):
        cache.keep(key, "new", True)
    assert list(cache) == list(range(100, 100 + MAX_LARGE))


def test_a_large_entry_that_is_kept_anew_replaces_itself() -> None:
    cache = filled(100, *[True] * MAX_LARGE)
    cache.keep(1, "new", True)
    assert list(cache) == list(range(MAX_LARGE))
    cache.keep(MAX_LARGE, "next", True)  # 0 is the oldest
    assert 0 not in cache
    assert cache[1] == "new"


def test_a_cleared_cache_starts_anew() -> None:
    cache = filled(100, *[True] * MAX_LARGE)
    cache.clear()
    for key in range(MAX_LARGE):
        cache.keep(key, "again", True)
    assert len(cache) == MAX_LARGE
